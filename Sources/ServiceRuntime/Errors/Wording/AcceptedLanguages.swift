/// The languages that a user reads, parsed from the `accept-language` header of HTTP (RFC 9110,
/// 12.5.4). A backend can forward the header of its app's request: `de-CH,de;q=0.9,en;q=0.8`.
package struct AcceptedLanguages: Hashable, Sendable {
    /// Far more than a browser sends. Further ranges are ignored, and so is a longer header.
    private static let rangesMax = 16
    private static let bytesMax = 512

    /// The preferred language among those of the catalogue. Nil where the catalogue has none of
    /// them.
    package let best: Voice?

    /// Parses a header's value. Invalid ranges are skipped.
    package init(_ text: String) {
        var best: (voice: Voice, weight: Int)?
        let ranges = text.utf8.count <= Self.bytesMax ? text[...] : ""
        for range in ranges.split(separator: ",").prefix(Self.rangesMax) {
            let parts = range.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" } }
            guard let tag = parts.first, let weight = Self.weight(parts.dropFirst().first),
                let voice = Voice(tag: tag)
            else { continue }
            // Of two ranges with the same weight, the first wins.
            if weight > best?.weight ?? 0 { best = (voice, weight) }
        }
        self.best = best?.voice
    }

    /// The weight in thousandths. Nil for an invalid one.
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
