/// What was given for a setting, before it is read as its type.
enum SettingValue: Hashable, Sendable {
    /// One text.
    case one(String)
    /// A list of texts.
    case many([String])
}

/// One of the places that settings come from: flags, a file, the environment.
struct SettingsSource: Sendable {
    private let values: [String: SettingValue]
    /// The key of a setting in `values`.
    private let key: @Sendable (String) -> String
    /// Where a setting of this name is found, for people.
    let place: @Sendable (String) -> String

    /// Values by the settings' names: of flags and files.
    init(_ values: [String: SettingValue], place: @escaping @Sendable (String) -> String) {
        self.init(values: values, key: { $0 }, place: place)
    }

    /// Environment variables with our prefix.
    static func environment(_ variables: [String: String]) -> SettingsSource {
        SettingsSource(
            values: variables.mapValues { .one($0) }, key: SettingsEnvironment.variable,
            place: SettingsEnvironment.variable)
    }

    private init(
        values: [String: SettingValue], key: @escaping @Sendable (String) -> String,
        place: @escaping @Sendable (String) -> String
    ) {
        self.values = values
        self.key = key
        self.place = place
    }

    /// What this source gives for a setting, if anything.
    func value(of name: String) -> SettingValue? { values[key(name)] }
}

/// Our names in the environment.
enum SettingsEnvironment {
    /// The variable of a setting: `POSTERN_LISTEN_PORT`.
    static func variable(_ name: String) -> String {
        "POSTERN_" + name.uppercased().replacing("-", with: "_")
    }

    /// Variables with our prefix that this program has no setting for. Not a mistake, since one
    /// environment may serve several programs, but told by `--check`.
    static func unused(
        _ environment: [String: String], declarations: [SettingDeclaration]
    ) -> [String] {
        let known = Set(declarations.map { variable($0.name) })
        return environment.keys.filter { $0.hasPrefix("POSTERN_") && !known.contains($0) }.sorted()
    }
}
