/// Suggests the correct name for a misspelt one.
enum NearestName {
    /// Longer names are not compared, since the cost of the edit distance is the product of both
    /// lengths.
    private static let bytesMax = 64

    /// The name with the smallest edit distance to `given`. Nil where the distance exceeds both two
    /// and a third of the length of `given`.
    static func of(_ given: String, among names: [String]) -> String? {
        guard given.utf8.count <= bytesMax else { return nil }
        let changesMax = max(2, given.utf8.count / 3)
        let ranked = names.map { (changes: distance(given, $0), name: $0) }
        return ranked.filter { $0.changes <= changesMax }.min { $0 < $1 }?.name
    }

    /// The edit distance: insertions, deletions and replacements of single bytes (Levenshtein,
    /// 1965).
    private static func distance(_ left: String, _ right: String) -> Int {
        let right = Array(right.utf8)
        var row = Array(0...right.count)
        for (index, byte) in left.utf8.enumerated() {
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
}
