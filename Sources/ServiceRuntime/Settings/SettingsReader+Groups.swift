extension SettingsReader {
    /// The size limit of a group's name, in bytes.
    private static var groupNameBytesMax: Int { 32 }

    /// The names of groups that the operator chooses, sorted: `shop` for the settings `shop-key`
    /// and `shop-origins`. A name is 1 to 32 lower-case letters, digits and dashes; settings of
    /// groups with other names are reported as unknown.
    /// - Parameter attributes: The settings that a group can have (`key`, `origins`). None may be
    ///   the end of another one after a dash.
    package func groups(of attributes: [String]) -> [String] {
        let names = sources.flatMap(\.names).compactMap { name in
            attributes.first { name.hasSuffix("-" + $0) }.map {
                String(name.dropLast($0.count + 1))
            }
        }
        return Set(names).filter(Self.isGroupName).sorted()
    }

    private static func isGroupName(_ name: String) -> Bool {
        (1...groupNameBytesMax).contains(name.utf8.count) && name.first != "-"
            && name.utf8.allSatisfy { byte in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                    || byte == UInt8(ascii: "-")
            }
    }

    /// A value of a type that `parse` reads. Nil where it is not set.
    /// - Parameters:
    ///   - expected: The accepted values, for people: "a key such as …".
    ///   - unit: The placeholder in `--help`.
    package mutating func parsed<Value: CustomStringConvertible>(
        _ name: String, expected: String, unit: String, reason: String,
        parse: (String) -> Value?
    ) -> Value? {
        readOptional(
            name, expected: expected, unit: unit, reason: reason, write: { $0.description }
        ) { given in
            given.one.flatMap(parse)
        }
    }

    /// A list of values of a type that `parse` reads.
    /// - Parameters:
    ///   - counts: How many a list that is given may have.
    ///   - expected: The accepted values of each, for people: "a network such as 10.0.0.0/8".
    ///   - unit: The placeholder in `--help`.
    package mutating func parsedList<Value: CustomStringConvertible>(
        _ name: String, _ values: inout [Value], counts: ClosedRange<Int>, expected: String,
        unit: String, reason: String, parse: (String) -> Value?
    ) {
        read(
            name, .list, into: &values,
            expected: "a list of \(counts.lowerBound) to \(counts.upperBound), each \(expected)",
            unit: "\(unit),…", reason: reason,
            write: { $0.isEmpty ? "(none)" : $0.map(\.description).joined(separator: ",") }
        ) { given in
            let texts = given.many
            let values = texts.compactMap(parse)
            return counts.contains(texts.count) && values.count == texts.count ? values : nil
        }
    }
}
