/// A file of the operator's besides a program's settings, such as a limits file. The same rules
/// check it: the whole file, with all problems at once. It may be read again while the program
/// runs.
///
/// A name in it may contain `*` for any characters, and then applies to all settings that it
/// matches. A name without `*` takes precedence; of two patterns, the longer one does.
package struct SettingsDocument<Values: Settings>: Sendable {
    /// The values. Nil when the file has problems.
    package let values: Values?
    /// The problems, each with its place.
    package let problems: [String]

    /// Reads the file at `path`, as JSON or YAML by its extension.
    package init(path: String) {
        let file = SettingsFile(path: path, takesPatterns: true) { source in
            var declaring = SettingsReader(sources: [source])
            _ = Values(reading: &declaring)
            return declaring.declarations
        }
        var reader = SettingsReader(sources: [file.source])
        let values = Values(reading: &reader)
        // In the order of the file's lines, regardless of which check found them.
        let found = (file.problems + reader.problems).enumerated().sorted {
            (Self.line($0.element.place), $0.offset) < (Self.line($1.element.place), $1.offset)
        }
        problems = found.map { "\($0.element.place): \($0.element.sentence)" }
        self.values = problems.isEmpty ? values : nil
    }

    /// The line number in a place. 0 where it has none.
    private static func line(_ place: String) -> Int {
        let parts = place.split(separator: " line ")
        guard parts.count > 1, let last = parts.last else { return 0 }
        return Int(last.prefix { $0.isNumber }) ?? 0
    }
}

extension SettingsDocument: Equatable where Values: Equatable {}

/// A setting's name with `*` for any characters.
struct SettingPattern: Hashable {
    private let parts: [Substring]

    /// Nil for a name without `*`.
    init?(_ text: String) {
        guard text.contains("*") else { return nil }
        parts = text.split(separator: "*", omittingEmptySubsequences: false)
    }

    /// Whether `name` matches.
    func fits(_ name: String) -> Bool {
        guard let first = parts.first, let last = parts.last, name.hasPrefix(first) else {
            return false
        }
        // Matches each part at its first position: if any match exists, this one does.
        var rest = name.dropFirst(first.count)
        for part in parts.dropFirst().dropLast() where !part.isEmpty {
            guard let found = rest.firstRange(of: part) else { return false }
            rest = rest[found.upperBound...]
        }
        return rest.hasSuffix(last)
    }
}
