extension SettingsReader {
    /// A whole number.
    /// - Parameter unit: The unit of the number: "port", "bytes", "threads".
    package mutating func integer(
        _ name: String, _ value: inout Int, in range: ClosedRange<Int>, unit: String,
        reason: String
    ) {
        read(
            name, into: &value,
            expected: "a whole number from \(range.lowerBound) to \(range.upperBound)", unit: unit,
            reason: reason, write: { String($0) }
        ) { given in
            given.one.flatMap(SettingText.integer).flatMap { range.contains($0) ? $0 : nil }
        }
    }

    /// A fraction from 0 to 1.
    package mutating func fraction(_ name: String, _ value: inout Double, reason: String) {
        read(
            name, into: &value, expected: "a number from 0 to 1, such as 0.05",
            unit: "fraction", reason: reason, write: MetricsPage.number
        ) { given in
            given.one.flatMap(SettingText.decimal).flatMap { (0...1).contains($0) ? $0 : nil }
        }
    }

    /// A duration: `250ms`, `10s`, `15m`, `1h`, `30d`, or a bare number of milliseconds.
    package mutating func duration(
        _ name: String, _ value: inout Duration, in range: ClosedRange<Duration>, reason: String
    ) {
        let (low, high) = (
            DurationText.write(range.lowerBound), DurationText.write(range.upperBound)
        )
        read(
            name, into: &value,
            expected: "a duration from \(low) to \(high), such as 250ms, 10s, 15m or 30d",
            unit: "duration", reason: reason, write: DurationText.write
        ) { given in
            given.one.flatMap(DurationText.read).flatMap { range.contains($0) ? $0 : nil }
        }
    }

    /// A duration, or `forever`, which is nil.
    package mutating func durationOrForever(
        _ name: String, _ value: inout Duration?, in range: ClosedRange<Duration>, reason: String
    ) {
        let forever = "forever"
        let (low, high) = (
            DurationText.write(range.lowerBound), DurationText.write(range.upperBound)
        )
        read(
            name, into: &value,
            expected: "a duration from \(low) to \(high), such as 30d, or \(forever)",
            unit: "duration|\(forever)", reason: reason,
            write: { $0.map(DurationText.write) ?? forever }
        ) { given -> Duration?? in
            guard let text = given.one else { return nil }
            if text == forever { return .some(nil) }
            guard let duration = DurationText.read(text), range.contains(duration) else {
                return nil
            }
            return .some(duration)
        }
    }

    /// A boolean.
    package mutating func boolean(_ name: String, _ value: inout Bool, reason: String) {
        read(
            name, .boolean, into: &value, expected: "true or false", unit: "true|false",
            reason: reason, write: { String($0) }
        ) { given in
            given.one.flatMap(SettingText.boolean)
        }
    }

    /// One of an enumeration's values.
    package mutating func choice<Choice: CaseIterable & RawRepresentable<String>>(
        _ name: String, _ value: inout Choice, reason: String
    ) {
        let names = Choice.allCases.map(\.rawValue)
        read(
            name, into: &value, expected: "one of \(names.joined(separator: ", "))",
            unit: names.joined(separator: "|"), reason: reason, write: \.rawValue
        ) { given in
            given.one.flatMap(Choice.init(rawValue:))
        }
    }
}

extension SettingValue {
    /// The single text. Nil for a list.
    var one: String? {
        if case .one(let text) = self { text } else { nil }
    }

    /// The texts of a list, or of one text split at commas. An empty text is an empty list.
    var many: [String] {
        switch self {
        case .one(""): []
        case .one(let text):
            text.split(separator: ",", omittingEmptySubsequences: false).map(\.trimmed)
        case .many(let texts): texts
        }
    }
}

extension Substring {
    /// Without spaces at either end.
    var trimmed: String {
        var text = self.drop { $0 == " " }
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}

extension SettingsReader {
    /// A list of durations, in order: `0s, 1m, 5m`.
    package mutating func durations(
        _ name: String, _ value: inout [Duration], in range: ClosedRange<Duration>,
        countMax: Int, reason: String
    ) {
        func written(_ durations: [Duration]) -> String {
            durations.map(DurationText.write).joined(separator: ",")
        }
        let (low, high) = (
            DurationText.write(range.lowerBound), DurationText.write(range.upperBound)
        )
        read(
            name, .list, into: &value,
            expected: "1 to \(countMax) durations from \(low) to \(high), such as 0s,1m,5m",
            unit: "duration,…", reason: reason, write: written
        ) { given in
            let durations = given.many.map(DurationText.read)
            guard (1...countMax).contains(durations.count),
                durations.allSatisfy({ $0.map(range.contains) ?? false })
            else { return nil }
            return durations.compactMap(\.self)
        }
    }
}

extension SettingsReader {
    /// The largest size of one text setting, in bytes.
    private static var textBytesMax: Int { 1_024 }
    /// The largest number of items of one list setting.
    private static var listCountMax: Int { 64 }

    /// A text, which may be empty as a default only.
    /// - Parameter unit: The kind of text: "name", "URL".
    package mutating func string(
        _ name: String, _ value: inout String, unit: String, reason: String
    ) {
        read(
            name, into: &value, expected: Self.expected(unit), unit: unit, reason: reason,
            write: { $0 }, parse: Self.text)
    }

    /// An optional text, which must not be empty.
    package mutating func optionalString(_ name: String, unit: String, reason: String) -> String? {
        readOptional(
            name, expected: Self.expected(unit), unit: unit, reason: reason, write: { $0 },
            parse: Self.text)
    }

    /// The path of a file or folder. The code that opens it checks whether it exists.
    /// - Parameter use: What the program does with it; `--check` tries a path that is given.
    package mutating func path(
        _ name: String, _ value: inout String, use: PathUse, reason: String
    ) {
        string(name, &value, unit: "path", reason: reason)
        if given(name) != nil { paths.append((name, value, use)) }
    }

    /// An optional path of a file or folder.
    /// - Parameter use: What the program does with it; `--check` tries it.
    package mutating func optionalPath(
        _ name: String, use: PathUse = .input, reason: String
    ) -> String? {
        let path = optionalString(name, unit: "path", reason: reason)
        if let path { paths.append((name, path, use)) }
        return path
    }

    /// A list of texts.
    package mutating func strings(
        _ name: String, _ value: inout [String], unit: String, reason: String
    ) {
        read(
            name, .list, into: &value,
            expected: "a list of at most \(Self.listCountMax), each \(Self.expected(unit))",
            unit: unit, reason: reason, write: Self.written
        ) { given in
            let texts = given.many
            return texts.count <= Self.listCountMax && texts.allSatisfy(Self.isText) ? texts : nil
        }
    }

    /// An address to listen on or connect to: `host:port`.
    package mutating func address(_ name: String, _ value: inout ServiceAddress, reason: String) {
        read(
            name, into: &value, expected: "host:port", unit: "host:port", reason: reason,
            write: \.description
        ) { given in
            given.one.flatMap { ServiceAddress($0) }
        }
    }

    /// A list of addresses: `host:port,host:port`.
    package mutating func addresses(
        _ name: String, _ value: inout [ServiceAddress], reason: String
    ) {
        read(
            name, .list, into: &value,
            expected: "a list of at most \(Self.listCountMax), each host:port", unit: "host:port,…",
            reason: reason, write: { Self.written($0.map(\.description)) }
        ) { given in
            let addresses = given.many.map { ServiceAddress($0) }
            guard addresses.count <= Self.listCountMax, !addresses.contains(nil) else { return nil }
            return addresses.compactMap(\.self)
        }
    }

    private static func expected(_ unit: String) -> String {
        let article = "aeiou".contains(unit.prefix(1)) ? "an" : "a"
        return "\(article) \(unit) of 1 to \(textBytesMax) bytes without control characters"
    }

    private static func text(_ given: SettingValue) -> String? {
        given.one.flatMap { isText($0) ? $0 : nil }
    }

    private static func isText(_ text: String) -> Bool {
        (1...textBytesMax).contains(text.utf8.count)
            && !text.unicodeScalars.contains { $0.properties.generalCategory == .control }
    }

    private static func written(_ texts: [String]) -> String {
        texts.isEmpty ? "(none)" : texts.joined(separator: ",")
    }
}
