/// The results of an import, for its progress line and its summary.
struct ImportCounts: Hashable, Sendable {
    var created = 0
    var unchanged = 0
    var refused = 0
    /// Records that were left out, and data that the file lacks, by kind.
    var lost: [String: Int] = [:]
    /// Fields that were invalid and were left out or truncated, by field.
    var altered: [String: Int] = [:]

    /// Number of processed records, without those that contained nothing to import.
    var total: Int { created + unchanged + refused }

    /// The summary: imported and rejected records, and data that the file lacks.
    var lines: [String] {
        var lines = [
            "\(created) accounts were imported, \(unchanged) had been imported before, "
                + "\(refused) were rejected"
        ]
        lines += lost.sorted { $0.key < $1.key }.map {
            "  not in the file: \($0.value) × \($0.key)"
        }
        lines += altered.sorted { $0.key < $1.key }
            .map { "  invalid, left out or truncated: \($0.value) × \($0.key)" }
        return lines
    }
}
