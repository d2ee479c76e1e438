/// The settings of one program, as one typed struct that declares each of them once.
///
///     struct SessionSettings: Settings {
///         let idleTimeout: Duration
///
///         init(reading settings: inout SettingsReader) {
///             idleTimeout = settings.duration(
///                 "idle-timeout", default: .seconds(30 * 86_400), in: .seconds(60)...(.seconds(…)),
///                 reason: "A session unused for this long ends (S-02).")
///         }
///     }
///
/// The initialiser only declares: it is run once to learn what there is (for `--help` and for
/// unknown names), and once more on what was given.
package protocol Settings: Sendable {
    /// Declares every setting and takes its value.
    init(reading settings: inout SettingsReader)
}

/// What a program does after it has read its settings.
package enum SettingsOutcome<Values: Settings>: Sendable {
    /// Everything is right: run on these.
    case run(Values)
    /// Write this and leave: to standard output where `exitCode` is 0, else to standard error.
    case leave(String, exitCode: Int32)
}
