/// A file of the operator's beside a program's settings, checked by the same rules: whole, with all
/// mistakes at once. It may be read again while the program runs.
///
/// A name in it may hold `*` for any letters: it stands for all settings that it fits. A name
/// without is stronger, and of two patterns the longer.
package struct SettingsDocument<Values: Settings>: Sendable {
    /// What it says; nil when something is wrong with it.
    package let values: Values?
    /// What is wrong, each with its place.
    package let mistakes: [String]

    /// Reads the file at `path`, JSON or YAML by its name.
    package init(path: String) {
        var declaring = SettingsReader(sources: [])
        _ = Values(reading: &declaring)
        let file = SettingsFile(
            path: path, declarations: declaring.declarations, takesPatterns: true)
        var reader = SettingsReader(sources: [file.source])
        let values = Values(reading: &reader)
        // As one reads the file, whichever check found them.
        let found = (file.mistakes + reader.mistakes).enumerated().sorted {
            (Self.line($0.element.place), $0.offset) < (Self.line($1.element.place), $1.offset)
        }
        mistakes = found.map { "\($0.element.place): \($0.element.sentence)" }
        self.values = mistakes.isEmpty ? values : nil
    }

    /// The line that a place names; 0 where it names none.
    private static func line(_ place: String) -> Int {
        let parts = place.split(separator: " line ")
        guard parts.count > 1, let last = parts.last else { return 0 }
        return Int(last.prefix { $0.isNumber }) ?? 0
    }
}

/// A setting's name with `*` for any letters.
struct SettingPattern: Hashable {
    private let parts: [Substring]

    /// Nil for a name without `*`.
    init?(_ text: String) {
        guard text.contains("*") else { return nil }
        parts = text.split(separator: "*", omittingEmptySubsequences: false)
    }

    /// Whether `name` fits.
    func fits(_ name: String) -> Bool {
        guard let first = parts.first, let last = parts.last, name.hasPrefix(first) else {
            return false
        }
        // Each part at its first place: if any arrangement fits, this one does.
        var rest = name.dropFirst(first.count)
        for part in parts.dropFirst().dropLast() where !part.isEmpty {
            guard let found = rest.firstRange(of: part) else { return false }
            rest = rest[found.upperBound...]
        }
        return rest.hasSuffix(last)
    }
}
