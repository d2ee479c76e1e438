/// What an import has come to, for its progress line and its last words.
struct ImportCounts: Hashable, Sendable {
    var created = 0
    var unchanged = 0
    var refused = 0
    /// What was left out, and what the file itself had lost, by what it is.
    var lost: [String: Int] = [:]
    /// Fields that did not fit and were left out or cut, by field.
    var altered: [String: Int] = [:]

    /// Records that are done with, but for those that were nothing.
    var total: Int { created + unchanged + refused }

    /// The last words: what came, what did not, and what nobody could have brought.
    var lines: [String] {
        var lines = [
            "\(created) accounts were taken in, \(unchanged) had come before, "
                + "\(refused) were refused"
        ]
        lines += lost.sorted { $0.key < $1.key }.map {
            "  not in the file: \($0.value) × \($0.key)"
        }
        lines += altered.sorted { $0.key < $1.key }
            .map { "  did not fit, left out or cut: \($0.value) × \($0.key)" }
        return lines
    }
}
