import JSON

/// Reads settings one by one: finds a value, parses it as its type, and records mistakes. An
/// invalid value yields the default, so that reading continues and all mistakes are found.
package struct SettingsReader {
    private let sources: [SettingsSource]
    private(set) var declarations: [SettingDeclaration] = []
    private(set) var mistakes: [SettingMistake] = []
    private(set) var inForce: [SettingInForce] = []
    private var wrong: Set<String> = []

    /// A reader of `sources`, in descending order of precedence.
    init(sources: [SettingsSource]) {
        self.sources = sources
    }

    /// Checks a rule between settings. Skips it where one of them is already invalid.
    /// - Parameter sentence: The rule as a sentence for the operator.
    package mutating func require(_ holds: Bool, _ names: [String], _ sentence: String) {
        guard !holds, wrong.isDisjoint(with: names) else { return }
        mistakes.append(SettingMistake(place: names.joined(separator: ", "), sentence: sentence))
    }

    /// Reads one setting. `read` returns nil for a value that is not `declaration.expected`.
    mutating func take<Value>(
        _ declaration: SettingDeclaration, default standard: Value,
        write: (Value) -> String, read: (SettingValue) -> Value?
    ) -> Value {
        declare(declaration)
        guard let (given, source) = given(declaration.name) else {
            note(declaration, declaration.defaultText ?? "(not set)", "default")
            return standard
        }
        guard let value = read(given) else {
            let quoted = declaration.form == .secret ? "the value" : given.quoted
            mistake(
                declaration.name, at: source.place(declaration.name),
                "\(quoted) is not \(declaration.expected)")
            return standard
        }
        note(declaration, write(value), source.place(declaration.name))
        return value
    }

    /// Records that a setting exists. A duplicate name, or a name that cannot be a flag or a
    /// variable, is a programming error.
    mutating func declare(_ declaration: SettingDeclaration) {
        precondition(
            !declarations.contains { $0.name == declaration.name }
                && !SettingsFlags.Command.allCases.contains { $0.rawValue == declaration.name },
            "a setting is declared once, and is not one of the loader's own flags")
        precondition(
            declaration.name.utf8.allSatisfy { byte in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                    || byte == UInt8(ascii: "-")
            }, "a setting's name is in kebab case")
        declarations.append(declaration)
    }

    /// Records the value that is used.
    mutating func note(_ declaration: SettingDeclaration, _ text: String, _ origin: String) {
        inForce.append(SettingInForce(name: declaration.name, text: text, origin: origin))
    }

    /// Records a mistake in a setting.
    mutating func mistake(_ name: String, at place: String, _ sentence: String) {
        wrong.insert(name)
        mistakes.append(SettingMistake(place: place, sentence: sentence))
    }

    /// The value from the source with the highest precedence that has this setting.
    func given(_ name: String) -> (value: SettingValue, source: SettingsSource)? {
        for source in sources {
            if let value = source.value(of: name) { return (value, source) }
        }
        return nil
    }
}

extension SettingValue {
    /// The value in quotes, escaped so that it is safe to show on a terminal.
    var quoted: String {
        switch self {
        case .one(let text): Self.quote(text)
        case .many(let texts): "[" + texts.map(Self.quote).joined(separator: ", ") + "]"
        }
    }

    private static func quote(_ text: String) -> String {
        var bytes: [UInt8] = []
        JSONText.append(text, to: &bytes, .shown, bytesMax: 200)
        return String(decoding: bytes, as: UTF8.self)
    }
}
