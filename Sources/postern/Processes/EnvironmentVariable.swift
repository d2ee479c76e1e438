import Glibc
import ServiceRuntime

/// The environment of this process, which the programs that it starts share.
enum EnvironmentVariable {
    /// The server of all stores, a setting of each program that has one.
    static let storeURL = "POSTERN_STORE_URL"

    /// The value of a variable; nil if it is not set.
    static func value(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    /// What the environment says of a setting of one program: by the variable of that program, or
    /// by the one for all (`SettingVariable`); nil if neither is set.
    /// - Parameters:
    ///   - program: `web`.
    ///   - variable: the value of an environment variable.
    static func setting(
        _ name: String, of program: String,
        _ variable: (String) -> String? = EnvironmentVariable.value
    ) -> String? {
        for name in SettingVariable.names(of: name, for: program) {
            if let value = variable(name) { return value }
        }
        return nil
    }
}
