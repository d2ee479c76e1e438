/// How different two names are, to suggest the one that was probably meant.
package enum EditDistance {
    /// The least number of insertions, deletions and replacements of single bytes that turn one
    /// name into the other (Levenshtein, 1965).
    package static func between(_ left: some Sequence<UInt8>, _ right: some Sequence<UInt8>) -> Int
    {
        let right = Array(right)
        var row = Array(0...right.count)
        for (index, byte) in left.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for column in right.indices {
                let replaced = diagonal + (right[column] == byte ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(replaced, row[column] + 1, diagonal + 1)
            }
        }
        return row[right.count]
    }

    private static let suggestionsMax = 3

    /// `did you mean a, or b?` with the nearest names; nil if there is none.
    package static func suggestion(_ similar: [(distance: Int, name: String)]) -> String? {
        let best = similar.sorted { $0 < $1 }.prefix(suggestionsMax).map(\.name)
        return best.isEmpty ? nil : "did you mean \(best.joined(separator: ", or "))?"
    }
}
