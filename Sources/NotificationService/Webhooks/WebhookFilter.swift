import ServiceRuntime

/// Which events a webhook wants: names of the catalogue, beginnings of names (`session.*`), or all.
struct WebhookFilter: Hashable, Sendable {
    /// Patterns of one webhook; the catalogue has some fifty names.
    static let patternsMax = 64

    /// The patterns in the order given.
    let patterns: [String]

    /// The filter; none means all. Nil for a pattern that can match nothing, or too many of them.
    init?(_ patterns: [String]) {
        guard patterns.count <= Self.patternsMax, patterns.allSatisfy(Self.isPattern) else {
            return nil
        }
        self.patterns = patterns.isEmpty ? ["*"] : patterns
    }

    /// Whether an event of this name is wanted.
    func wants(_ kind: String) -> Bool {
        patterns.contains { pattern in
            pattern.hasSuffix("*") ? kind.hasPrefix(pattern.dropLast()) : kind == pattern
        }
    }

    /// As a store keeps it.
    var text: String { patterns.joined(separator: " ") }

    /// A filter as a store keeps it.
    init?(text: String) {
        self.init(text.split(separator: " ").map(String.init))
    }

    private static func isPattern(_ pattern: String) -> Bool {
        let name = pattern.hasSuffix("*") ? String(pattern.dropLast()) : pattern
        return !pattern.isEmpty && ServiceEvent.isName(name)
    }
}
