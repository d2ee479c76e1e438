extension SettingsReader {
    /// The largest size of one text setting, in bytes.
    private static var textBytesMax: Int { 1_024 }
    /// The largest number of items of one list setting.
    private static var listCountMax: Int { 64 }

    /// A text that must not be empty.
    /// - Parameter unit: The kind of text: "name", "URL".
    package mutating func string(
        _ name: String, default standard: String, unit: String, reason: String
    ) -> String {
        optionalString(name, default: standard, unit: unit, reason: reason) ?? standard
    }

    /// An optional text.
    package mutating func optionalString(
        _ name: String, default standard: String? = nil, unit: String, reason: String
    ) -> String? {
        let declaration = SettingDeclaration(
            name: name, expected: Self.expected(unit), unit: unit, defaultText: standard,
            reason: reason, form: .value)
        return take(declaration, default: standard, write: { $0 ?? "" }) { given in
            given.one.flatMap { Self.isText($0) ? .some($0) : nil }
        }
    }

    /// The path of a file or folder. The code that opens it checks whether it exists.
    package mutating func path(_ name: String, default standard: String, reason: String) -> String {
        string(name, default: standard, unit: "path", reason: reason)
    }

    /// An optional path of a file or folder.
    package mutating func optionalPath(_ name: String, reason: String) -> String? {
        optionalString(name, unit: "path", reason: reason)
    }

    /// A list of texts.
    package mutating func strings(
        _ name: String, default standard: [String], unit: String, reason: String
    ) -> [String] {
        let declaration = SettingDeclaration(
            name: name,
            expected: "a list of at most \(Self.listCountMax), each \(Self.expected(unit))",
            unit: unit, defaultText: Self.written(standard), reason: reason, form: .list)
        return take(declaration, default: standard, write: Self.written) { given in
            let texts = given.many
            return texts.count <= Self.listCountMax && texts.allSatisfy(Self.isText) ? texts : nil
        }
    }

    /// An address to listen on or connect to: `host:port`.
    package mutating func address(
        _ name: String, default standard: ServiceAddress, reason: String
    ) -> ServiceAddress {
        let declaration = SettingDeclaration(
            name: name, expected: "host:port", unit: "host:port",
            defaultText: standard.description, reason: reason, form: .value)
        return take(declaration, default: standard, write: \.description) { given in
            given.one.flatMap { ServiceAddress($0) }
        }
    }

    /// A list of addresses: `host:port,host:port`.
    package mutating func addresses(
        _ name: String, default standard: [ServiceAddress], reason: String
    ) -> [ServiceAddress] {
        let declaration = SettingDeclaration(
            name: name, expected: "a list of at most \(Self.listCountMax), each host:port",
            unit: "host:port,…", defaultText: Self.written(standard.map(\.description)),
            reason: reason, form: .list)
        return take(
            declaration, default: standard, write: { Self.written($0.map(\.description)) }
        ) { given in
            let addresses = given.many.map { ServiceAddress($0) }
            guard addresses.count <= Self.listCountMax, !addresses.contains(nil) else { return nil }
            return addresses.compactMap(\.self)
        }
    }

    private static func expected(_ unit: String) -> String {
        "a \(unit) of 1 to \(textBytesMax) bytes without control characters"
    }

    private static func isText(_ text: String) -> Bool {
        (1...textBytesMax).contains(text.utf8.count)
            && !text.unicodeScalars.contains { $0.properties.generalCategory == .control }
    }

    private static func written(_ texts: [String]) -> String {
        texts.isEmpty ? "(none)" : texts.joined(separator: ",")
    }
}
