import JSON

/// Reads settings one by one: finds a value, parses it as its type, and records problems. An
/// invalid value yields the default, so that reading continues and all problems are found.
///
/// A setting with a default is read into the property that has it. One without returns its value,
/// or nil.
package struct SettingsReader {
    let sources: [SettingsSource]
    private(set) var declarations: [SettingDeclaration] = []
    private(set) var problems: [SettingProblem] = []
    private(set) var valuesInUse: [ValueInUse] = []
    /// The files and folders that the given settings name. A default is not among them: settings
    /// may be checked on another machine than that of the program.
    var paths: [(name: String, path: String, use: PathUse)] = []
    private var wrong: Set<String> = []

    /// A reader of `sources`, in descending order of precedence.
    init(sources: [SettingsSource]) {
        self.sources = sources
    }

    /// Checks a rule between settings. Skips it where one of them is already invalid.
    /// - Parameter sentence: The rule as a sentence for the operator.
    package mutating func require(_ holds: Bool, _ names: [String], _ sentence: String) {
        guard !holds, wrong.isDisjoint(with: names) else { return }
        problems.append(SettingProblem(place: names.joined(separator: ", "), sentence: sentence))
    }

    /// Reads one setting into the place that has its default. An invalid value changes nothing.
    /// - Parameters:
    ///   - value: The default, and then the value in use.
    ///   - expected: The accepted values, for people.
    ///   - write: The text of a value as an operator writes it; nil if there is none.
    ///   - parse: The value of a text; nil if it is not `expected`.
    mutating func read<Value>(
        _ name: String, _ form: SettingDeclaration.Form = .value, into value: inout Value,
        expected: String, unit: String, reason: String,
        write: (Value) -> String?, parse: (SettingValue) -> Value?
    ) {
        let declaration = SettingDeclaration(
            name: name, expected: expected, unit: unit, defaultText: write(value),
            reason: reason, form: form)
        declare(declaration)
        guard let (given, source) = given(name) else {
            return record(name, declaration.defaultText ?? "(not set)", "default")
        }
        guard let parsed = parse(given) else {
            let quoted = form == .secret ? "the value" : given.quoted
            return problem(name, at: source.place(name), "\(quoted) is not \(expected)")
        }
        record(name, write(parsed) ?? "", source.place(name))
        value = parsed
    }

    /// Reads one setting without a default. Nil where it is not set or invalid.
    /// - Parameters: As of `read`.
    mutating func readOptional<Value>(
        _ name: String, _ form: SettingDeclaration.Form = .value, expected: String, unit: String,
        reason: String, write: (Value) -> String, parse: (SettingValue) -> Value?
    ) -> Value? {
        var value: Value?
        read(
            name, form, into: &value, expected: expected, unit: unit, reason: reason,
            write: { $0.map(write) }
        ) { given -> Value?? in
            guard let parsed = parse(given) else { return nil }
            return .some(parsed)
        }
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
    private mutating func record(_ name: String, _ text: String, _ origin: String) {
        valuesInUse.append(ValueInUse(name: name, text: text, origin: origin))
    }

    /// Whether the operator has set it: for a former name, which is warned of.
    package func isGiven(_ name: String) -> Bool { given(name) != nil }

    /// Records a problem in a setting.
    mutating func problem(_ name: String, at place: String, _ sentence: String) {
        wrong.insert(name)
        problems.append(SettingProblem(place: place, sentence: sentence))
    }

    /// The value from the source with the highest precedence that has this setting.
    func given(_ name: String) -> (value: SettingValue, source: SettingsSource)? {
        for source in sources {
            if let value = source.value(of: name) { return (value, source) }
        }
        return nil
    }

    /// A setting with the value in use and its source.
    struct ValueInUse: Sendable {
        /// The setting's name.
        let name: String
        /// The value, as an operator would write it. Secrets are hidden.
        let text: String
        /// `default`, or the place that set it.
        let origin: String
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
