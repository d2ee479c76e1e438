/// Loads a program's settings: defaults, then a file, then the environment, then flags. Later
/// sources take precedence. All settings are checked, and all problems are reported at once.
package struct SettingsLoader: Sendable {
    /// The exit code for wrong settings: EX_CONFIG of sysexits.h.
    package static let invalidExitCode: Int32 = 78

    /// What a program does after it has read its settings.
    package enum Outcome<Values: Settings>: Sendable {
        /// All settings are valid: run with these.
        case run(Values)
        /// Print this text and exit: to standard output where `exitCode` is 0, else to standard
        /// error.
        case exit(String, exitCode: Int32)
    }

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
    package func load<Values: Settings>(_ type: Values.Type) -> Outcome<Values> {
        var declaring = SettingsReader(sources: [])
        _ = Values(reading: &declaring)
        let declarations = declaring.declarations
        let flags = SettingsFlags(arguments, declarations: declarations)
        if flags.requests(.help) {
            return .exit(help(declarations), exitCode: 0)
        }
        if flags.requests(.version) {
            return .exit("\(program) \(ProductVersion.text)\n", exitCode: 0)
        }
        let file = flags.configPath.map { SettingsFile(path: $0) { _ in declarations } }
        var reader = SettingsReader(
            sources: [flags.source]
                + SettingsSource.environment(environment, of: program)
                + [file?.source].compactMap(\.self))
        let values = Values(reading: &reader)
        let problems = flags.problems + (file?.problems ?? []) + reader.problems
        if !problems.isEmpty {
            return .exit(report(problems), exitCode: Self.invalidExitCode)
        }
        if flags.requests(.check) {
            let unused = SettingsSource.unusedVariables(
                of: environment, declarations: declarations, program: program)
            let warnings = unused.map { Self.warning($0, declarations) }
            let findings = reader.paths.flatMap { setting in
                setting.use.findings(setting.path).map {
                    SettingProblem(place: setting.name, sentence: $0)
                }
            }
            guard findings.isEmpty else {
                return .exit(
                    report(findings) + warnings.joined(), exitCode: Self.invalidExitCode)
            }
            return .exit(Self.check(reader.valuesInUse) + warnings.joined(), exitCode: 0)
        }
        return .run(values)
    }

    private func report(_ problems: [SettingProblem]) -> String {
        let count = problems.count == 1 ? "1 mistake" : "\(problems.count) mistakes"
        let lines = problems.map { "  \($0.place): \($0.sentence)\n" }
        return "\(program): \(count) in its settings (--help lists them all)\n"
            + lines.joined()
    }

    /// `--help`: all settings with their accepted values, default and reason.
    private func help(_ declarations: [SettingDeclaration]) -> String {
        """
        \(program): \(summary)

        Settings come from their defaults, then from a file (--config FILE, YAML or JSON, keys as
        below without the dashes in front), then from the environment (POSTERN_ and the name:
        --listen-port is POSTERN_LISTEN_PORT; before it, for this program alone,
        \(SettingVariable.own("POSTERN_LISTEN_PORT", of: program))), then from flags.
        Later sources win.

          --config FILE
              Reads settings from this file.
          --check
              Prints the settings in use and their sources, secrets hidden, and exits. Files and
              folders that they name and this user cannot use count as wrong settings.
          --help
              Prints this text and exits.
          --version
              Prints the version and exits.

        Exit codes: 0 after a stop, 1 for a failure (the last line of its log has the reason),
        \(Self.invalidExitCode) for wrong settings (all of them are on standard error).

        \(declarations.map(Self.entry).joined())
        """
    }

    private static func entry(_ declaration: SettingDeclaration) -> String {
        let name =
            declaration.form == .secret
            ? SettingVariable.shared(declaration.name) + " (never a flag)"
            : "--\(declaration.name) \(declaration.unit)"
        return """
              \(name)
                  \(declaration.reasonForPeople)
                  Takes \(declaration.expected); default: \(declaration.defaultText ?? "(not set)").

            """
    }

    /// `--check`: the values in use, with the source of each.
    private static func check(_ settings: [SettingsReader.ValueInUse]) -> String {
        let nameWidth = settings.map(\.name.count).max() ?? 0
        let textWidth = min(40, settings.map(\.text.count).max() ?? 0)
        let lines = settings.map { setting in
            padded(setting.name, nameWidth) + "  " + padded(setting.text, textWidth) + "  "
                + setting.origin + "\n"
        }
        return lines.joined()
    }

    /// A variable that is no setting of this program, with the similar one.
    private static func warning(_ variable: String, _ declarations: [SettingDeclaration]) -> String
    {
        let name = variable.split(separator: "_").dropFirst().joined(separator: "-").lowercased()
        let nearest = SettingProblem.nearest(to: name, among: declarations.map(\.name))
        let hint = nearest.map { "; did you mean \(SettingVariable.shared($0))?" } ?? ""
        return "\(variable) is set, and no setting of this program\(hint)\n"
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}

/// The settings of one program, as one typed struct that declares each of them once: the property
/// has the default, and the line that reads it has name, bounds, unit and reason.
///
///     struct SessionSettings: Settings {
///         /// A session that is unused for this long ends (S-02).
///         var idleTimeout: Duration = .seconds(30 * 86_400)
///
///         init(reading settings: inout SettingsReader) {
///             settings.duration(
///                 "idle-timeout", &idleTimeout, in: .seconds(60)...longest,
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
