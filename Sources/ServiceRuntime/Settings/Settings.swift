/// The settings of one program, as one typed struct that declares each of them once.
///
///     struct SessionSettings: Settings {
///         let idleTimeout: Duration
///
///         init(reading settings: inout SettingsReader) {
///             idleTimeout = settings.duration(
///                 "idle-timeout", default: .seconds(30 * 86_400), in: .seconds(60)...longest,
///                 reason: "A session unused for this long ends (S-02).")
///         }
///     }
///
/// The initialiser only declares settings. It runs twice: once to list the settings (for `--help`
/// and unknown names), and once to read the given values.
package protocol Settings: Sendable {
    /// Declares every setting and reads its value.
    init(reading settings: inout SettingsReader)
}

/// What a program does after it has read its settings.
package enum SettingsOutcome<Values: Settings>: Sendable {
    /// All settings are valid: run with these.
    case run(Values)
    /// Print this text and exit: to standard output where `exitCode` is 0, else to standard error.
    case leave(String, exitCode: Int32)
}
