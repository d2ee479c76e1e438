/// The environment variables of settings. One environment serves all programs of a machine, so a
/// setting of one program alone has a variable of its own:
///
///     variable                    whose `listen-port`
///     POSTERN_WEB_LISTEN_PORT     that of the web service; wins there
///     POSTERN_LISTEN_PORT         that of each program that has the setting
///
/// No setting may be named like another one after a program's name (`web-origins` of any program
/// beside `origins` of web): both would have one variable. A test compares all programs.
package enum SettingVariable {
    /// The beginning of all.
    package static let prefix = "POSTERN_"

    /// The variable for every program: `POSTERN_LISTEN_PORT` of `listen-port`.
    package static func shared(_ setting: String) -> String { prefix + upperCase(setting) }

    /// The variable for one program: `POSTERN_WEB_LISTEN_PORT`.
    /// - Parameters:
    ///   - shared: that for every program.
    ///   - program: `web`, or its executable, `postern-web`.
    package static func own(_ shared: String, of program: String) -> String {
        "\(prefix)\(upperCase(String(program.trimmingPrefix("postern-"))))_"
            + shared.dropFirst(prefix.count)
    }

    /// Both, the one that wins first.
    package static func names(of setting: String, for program: String) -> [String] {
        let shared = shared(setting)
        return [own(shared, of: program), shared]
    }

    private static func upperCase(_ name: String) -> String {
        name.uppercased().replacing("-", with: "_")
    }
}
