package import ServiceRuntime

extension SettingsLoader {
    /// The settings of a program that starts with `flags` and `environment`.
    /// - Throws: `SettingsRefused` if it would not start with them.
    package static func settings<Values: Settings>(
        _ flags: [String] = [], environment: [String: String] = [:]
    ) throws -> Values {
        let loader = SettingsLoader(
            program: "test", summary: "", arguments: flags, environment: environment)
        switch loader.load(Values.self) {
        case .run(let settings): return settings
        case .exit(let text, exitCode: _): throw SettingsRefused(text: text)
        }
    }
}

/// Settings with which a program does not start.
package struct SettingsRefused: Error {
    /// What the program prints instead.
    package let text: String
}
