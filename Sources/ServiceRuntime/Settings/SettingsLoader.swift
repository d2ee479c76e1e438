/// Loads a program's settings: defaults, then a file, then the environment, then flags. Later
/// sources take precedence. All settings are checked, and all mistakes are reported at once.
package struct SettingsLoader: Sendable {
    /// The exit code for wrong settings: EX_CONFIG of sysexits.h.
    package static let mistakesExitCode: Int32 = 78

    private let program: String
    private let summary: String
    private let arguments: [String]
    private let environment: [String: String]

    /// A loader for `program`, whose `--help` begins with `summary`. `arguments` do not include the
    /// program's own name.
    package init(
        program: String, summary: String, arguments: [String], environment: [String: String]
    ) {
        self.program = program
        self.summary = summary
        self.arguments = arguments
        self.environment = environment
    }

    /// The settings, or the text to print instead of running.
    package func load<Values: Settings>(_ type: Values.Type) -> SettingsOutcome<Values> {
        var declaring = SettingsReader(sources: [])
        _ = Values(reading: &declaring)
        let declarations = declaring.declarations
        let flags = SettingsFlags(arguments, declarations: declarations)
        if flags.asks(.help) {
            return .leave(
                SettingsHelp(program: program, summary: summary).text(declarations), exitCode: 0)
        }
        if flags.asks(.version) {
            return .leave("\(program) \(ProductVersion.text)\n", exitCode: 0)
        }
        let file = flags.configPath.map { SettingsFile(path: $0, declarations: declarations) }
        var reader = SettingsReader(
            sources: [flags.source, .environment(environment), file?.source].compactMap(\.self))
        let values = Values(reading: &reader)
        let mistakes = flags.mistakes + (file?.mistakes ?? []) + reader.mistakes
        if !mistakes.isEmpty {
            return .leave(report(mistakes), exitCode: Self.mistakesExitCode)
        }
        if flags.asks(.check) {
            let unused = SettingsEnvironment.unused(environment, declarations: declarations)
            return .leave(SettingsCheck.text(reader.inForce, unused: unused), exitCode: 0)
        }
        return .run(values)
    }

    private func report(_ mistakes: [SettingMistake]) -> String {
        let count = mistakes.count == 1 ? "1 mistake" : "\(mistakes.count) mistakes"
        let lines = mistakes.map { "  \($0.place): \($0.sentence)\n" }
        return "\(program): \(count) in its settings (--help lists them all)\n"
            + lines.joined()
    }
}

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
