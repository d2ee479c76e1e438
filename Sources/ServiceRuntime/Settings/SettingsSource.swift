import Configuration

/// What was given for a setting, before it is read as its type.
enum SettingValue: Hashable, Sendable {
    /// One text.
    case one(String)
    /// A list of texts.
    case many([String])
}

/// One of the places that settings come from; a face on a swift-configuration provider.
struct SettingsSource: Sendable {
    private let provider: any ConfigProvider
    private let key: @Sendable (String) -> AbsoluteConfigKey
    /// Where a setting of this name stands, for people.
    let place: @Sendable (String) -> String

    /// Values that were read beforehand: flags and files.
    init(_ values: [String: SettingValue], place: @escaping @Sendable (String) -> String) {
        let pairs = values.map { name, value in
            (AbsoluteConfigKey([name]), ConfigValue(value.content, isSecret: false))
        }
        provider = InMemoryProvider(values: Dictionary(uniqueKeysWithValues: pairs))
        key = { AbsoluteConfigKey([$0]) }
        self.place = place
    }

    /// Environment variables with our prefix.
    static func environment(_ variables: [String: String]) -> SettingsSource {
        SettingsSource(
            provider: EnvironmentVariablesProvider(environmentVariables: variables),
            key: { AbsoluteConfigKey([SettingsEnvironment.prefix, $0]) },
            place: SettingsEnvironment.variable)
    }

    /// What this source gives for a setting, if anything.
    func value(of name: String) -> SettingValue? {
        // A lookup throws where the value has the other of the two types, and for nothing else.
        if let text = try? provider.value(forKey: key(name), type: .string).value?.content,
            case .string(let text) = text
        {
            return .one(text)
        }
        if let list = try? provider.value(forKey: key(name), type: .stringArray).value?.content,
            case .stringArray(let list) = list
        {
            return .many(list)
        }
        return nil
    }
}

extension SettingsSource {
    private init(
        provider: any ConfigProvider, key: @escaping @Sendable (String) -> AbsoluteConfigKey,
        place: @escaping @Sendable (String) -> String
    ) {
        self.provider = provider
        self.key = key
        self.place = place
    }
}

extension SettingValue {
    fileprivate var content: ConfigContent {
        switch self {
        case .one(let text): .string(text)
        case .many(let texts): .stringArray(texts)
        }
    }
}

/// Our names in the environment.
enum SettingsEnvironment {
    /// `POSTERN_…`
    static let prefix = "postern"

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
