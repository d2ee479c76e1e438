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
          --version
              Prints the version and exits.

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
