/// Parses the program's arguments strictly: each must belong to a flag, and each flag must be
/// known.
///
/// Accepts `--name value`, `--name=value` (needed where the value begins with `--`) and, for a
/// boolean, `--name` alone. A list's flag may be repeated.
struct SettingsFlags {
    /// The loader's own flags.
    enum Command: String, CaseIterable {
        /// `--check`: print the settings in use, and exit.
        case check
        /// `--config FILE`: read this file.
        case config
        /// `--help`: list all settings, and exit.
        case help
        /// `--version`: print the program's name and version, and exit.
        case version
    }

    /// The errors in the arguments.
    private(set) var problems: [SettingProblem] = []
    private var values: [String: SettingValue] = [:]
    private let forms: [String: SettingDeclaration.Form]

    /// Parses `arguments`, which do not include the program's name.
    init(_ arguments: [String], declarations: [SettingDeclaration]) {
        var forms = Dictionary(uniqueKeysWithValues: declarations.map { ($0.name, $0.form) })
        forms[Command.check.rawValue] = .boolean
        forms[Command.help.rawValue] = .boolean
        forms[Command.version.rawValue] = .boolean
        forms[Command.config.rawValue] = .value
        self.forms = forms
        var rest = arguments[...]
        while let argument = rest.popFirst() { read(argument, &rest) }
    }

    /// Whether a command was given.
    func requests(_ command: Command) -> Bool {
        values[command.rawValue]?.one.flatMap(SettingText.boolean) ?? false
    }

    /// The file that `--config` names.
    var configPath: String? { values[Command.config.rawValue]?.one }

    /// The settings that were given.
    var source: SettingsSource {
        let commands = Command.allCases.map(\.rawValue)
        return SettingsSource(values.filter { !commands.contains($0.key) }) { "--" + $0 }
    }

    private mutating func read(_ argument: String, _ rest: inout ArraySlice<String>) {
        guard argument.hasPrefix("--") else {
            return problem(
                SettingValue.one(argument).quoted, "settings are given as --name value")
        }
        let parts = argument.dropFirst(2).split(
            separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts.first ?? "")
        guard let form = forms[name] else {
            // The next argument is probably its value; a second problem about it would only
            // confuse.
            if parts.count == 1, rest.first?.hasPrefix("--") == false { rest.removeFirst() }
            return problems.append(
                .unknown(
                    name, at: SettingValue.one("--" + name).quoted, among: Array(forms.keys),
                    showing: { "--" + $0 }))
        }
        let isBare = form == .boolean && Command(rawValue: name) != nil
        let value = parts.count == 2 ? String(parts[1]) : Self.next(form, isBare: isBare, &rest)
        add(name, form, value)
    }

    private mutating func add(_ name: String, _ form: SettingDeclaration.Form, _ value: String?) {
        if form == .secret {
            return problem(
                "--" + name,
                "a secret is never an argument, which others can see; use --\(name)-file or "
                    + SettingVariable.shared(name))
        }
        guard let value else { return problem("--" + name, "its value is missing") }
        switch (form, values[name]) {
        case (_, nil): values[name] = .one(value)
        case (.list, let earlier?):
            values[name] = .many(earlier.many + SettingValue.one(value).many)
        default: problem("--" + name, "it is given twice")
        }
    }

    private mutating func problem(_ place: String, _ sentence: String) {
        problems.append(SettingProblem(place: place, sentence: sentence))
    }

    /// The value after a flag's name. For a boolean it may be missing; a text that is no boolean is
    /// taken too, so that the problem names the flag that it was meant for.
    /// - Parameter isBare: whether the flag usually has no value, as `--check`.
    private static func next(
        _ form: SettingDeclaration.Form, isBare: Bool, _ rest: inout ArraySlice<String>
    ) -> String? {
        guard let following = rest.first, !following.hasPrefix("--") else {
            return form == .boolean ? "true" : nil
        }
        if isBare, SettingText.boolean(following) == nil { return "true" }
        rest.removeFirst()
        return following
    }
}
