/// The raw value of a setting, before it is parsed as its type.
enum SettingValue: Hashable, Sendable {
    /// One text.
    case one(String)
    /// A list of texts.
    case many([String])
}

/// A source of settings: flags, a file, the environment.
struct SettingsSource: Sendable {
    private let values: [String: SettingValue]
    /// Returns the key in `values` of a setting.
    private let key: @Sendable (String) -> String
    /// Returns the place of a setting in this source, for messages to the operator.
    let place: @Sendable (String) -> String

    /// A source whose keys are the names of settings: flags and files.
    init(_ values: [String: SettingValue], place: @escaping @Sendable (String) -> String) {
        self.init(values: values, key: { $0 }, place: place)
    }

    /// The environment: the variables of one program, which win, and those of all programs.
    /// - Parameter program: its executable.
    static func environment(
        _ variables: [String: String], of program: String
    ) -> [SettingsSource] {
        let values = variables.mapValues { SettingValue.one($0) }
        let own: @Sendable (String) -> String = {
            SettingVariable.own(SettingVariable.shared($0), of: program)
        }
        return [
            SettingsSource(values: values, key: own, place: own),
            SettingsSource(
                values: values, key: SettingVariable.shared, place: SettingVariable.shared),
        ]
    }

    private init(
        values: [String: SettingValue], key: @escaping @Sendable (String) -> String,
        place: @escaping @Sendable (String) -> String
    ) {
        self.values = values
        self.key = key
        self.place = place
    }

    /// The names of all values; in the environment, those of variables.
    var names: [String] { Array(values.keys) }

    /// The value that this source has for a setting, if any.
    func value(of name: String) -> SettingValue? { values[key(name)] }

    /// Variables with our prefix that are no settings of this program. Not a problem, since one
    /// environment may serve several programs, but `--check` lists them.
    static func unusedVariables(
        of environment: [String: String], declarations: [SettingDeclaration], program: String
    ) -> [String] {
        let known = Set(
            declarations.flatMap { SettingVariable.names(of: $0.name, for: program) })
        return environment.keys.filter {
            $0.hasPrefix(SettingVariable.prefix) && !known.contains($0)
        }.sorted()
    }
}
