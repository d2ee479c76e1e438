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

/// Writes `--help`.
struct SettingsHelp {
    /// The program's name.
    let program: String
    /// A sentence that describes the program.
    let summary: String

    /// All settings with their accepted values, default and reason.
    func text(_ declarations: [SettingDeclaration]) -> String {
        """
        \(program): \(summary)

        Settings come from their defaults, then from a file (--config FILE, YAML or JSON, keys as
        below without the dashes in front), then from the environment (POSTERN_ and the name:
        --listen-port is POSTERN_LISTEN_PORT), then from flags; later sources win.

          --config FILE
              Reads settings from this file.
          --check
              Prints the settings in use and their sources, secrets hidden, and exits.
          --help
              Prints this text and exits.

        \(declarations.map(Self.entry).joined())
        """
    }

    private static func entry(_ declaration: SettingDeclaration) -> String {
        let name =
            declaration.form == .secret
            ? SettingsEnvironment.variable(declaration.name) + " (never a flag)"
            : "--\(declaration.name) \(declaration.unit)"
        return """
              \(name)
                  \(declaration.reason)
                  Takes \(declaration.expected); default: \(declaration.defaultText ?? "(not set)").

            """
    }
}

/// Writes `--check`.
enum SettingsCheck {
    /// The values in use, with the source of each.
    static func text(_ settings: [SettingInForce], unused: [String]) -> String {
        let nameWidth = settings.map(\.name.count).max() ?? 0
        let textWidth = min(40, settings.map(\.text.count).max() ?? 0)
        let lines = settings.map { setting in
            padded(setting.name, nameWidth) + "  " + padded(setting.text, textWidth) + "  "
                + setting.origin + "\n"
        }
        let notes = unused.map { "\($0) is set, and no setting of this program\n" }
        return (lines + notes).joined()
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}
