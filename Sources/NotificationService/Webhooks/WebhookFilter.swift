import ServiceRuntime

/// The events that a webhook wants: names from the catalogue, prefixes of names (`session.*`), or
/// all.
struct WebhookFilter: Hashable, Sendable {
    /// Patterns of one webhook. The catalogue has about fifty names.
    static let patternsMax = 64

    /// The patterns in the order given.
    let patterns: [String]

    /// A filter; no pattern means all events. Nil for a pattern that cannot match anything, or for
    /// too many patterns.
    init?(_ patterns: [String]) {
        guard patterns.count <= Self.patternsMax, patterns.allSatisfy(Self.isPattern) else {
            return nil
        }
        self.patterns = patterns.isEmpty ? ["*"] : patterns
    }

    /// Whether the filter matches an event of this name.
    func wants(_ kind: String) -> Bool {
        patterns.contains { pattern in
            pattern.hasSuffix("*") ? kind.hasPrefix(pattern.dropLast()) : kind == pattern
        }
    }

    /// The stored form.
    var text: String { patterns.joined(separator: " ") }

    /// Decodes the stored form.
    init?(text: String) {
        self.init(text.split(separator: " ").map(String.init))
    }

    private static func isPattern(_ pattern: String) -> Bool {
        let name = pattern.hasSuffix("*") ? String(pattern.dropLast()) : pattern
        return !pattern.isEmpty && ServiceEvent.isName(name)
    }
}
