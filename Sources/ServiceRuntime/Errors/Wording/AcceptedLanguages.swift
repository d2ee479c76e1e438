/// What somebody reads, as the `accept-language` of HTTP has it (RFC 9110, 12.5.4), so that a
/// backend can hand on what its app's request said: `de-CH,de;q=0.9,en;q=0.8`.
package struct AcceptedLanguages: Hashable, Sendable {
    /// Far more than a person's settings make; what is beyond is not read.
    private static let rangesMax = 16
    private static let bytesMax = 512

    /// The catalogue's language that is wanted most; nil where none of it is.
    package let best: ErrorLanguage?

    /// Reads a header's value. What is no range of languages is passed over.
    package init(_ text: String) {
        var best: (language: ErrorLanguage, weight: Int)?
        let ranges = text.utf8.count <= Self.bytesMax ? text[...] : ""
        for range in ranges.split(separator: ",").prefix(Self.rangesMax) {
            let parts = range.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" } }
            guard let tag = parts.first, let weight = Self.weight(parts.dropFirst().first),
                let language = ErrorLanguage(tag: tag)
            else { continue }
            // Of two that are wanted alike the first one is.
            if weight > best?.weight ?? 0 { best = (language, weight) }
        }
        self.best = best?.language
    }

    /// In thousandths; nil for what is none.
    private static func weight(_ text: String?) -> Int? {
        guard let text else { return 1_000 }
        let parts = text.split(separator: "=", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].lowercased() == "q" else { return nil }
        let digits = parts[1].split(separator: ".", omittingEmptySubsequences: false)
        guard (1...2).contains(digits.count), digits[0] == "0" || digits[0] == "1" else {
            return nil
        }
        let fraction = digits.count == 2 ? digits[1] : ""
        guard fraction.utf8.count <= 3, fraction.utf8.allSatisfy({ (48...57).contains($0) })
        else { return nil }
        let padded = fraction + String(repeating: "0", count: 3 - fraction.utf8.count)
        return min(1_000, (digits[0] == "1" ? 1_000 : 0) + (Int(padded) ?? 0))
    }
}
