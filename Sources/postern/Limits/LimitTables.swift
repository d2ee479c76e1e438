import Contracts

/// The limits as tables in Markdown: `postern limits list --explain` prints them, and
/// `RateLimitService/README.md` has each below its heading (`LimitTablesTests`). A, S, T and V are
/// that page's attackers.
extension LimitGroup {
    private static let head = [
        "| limit | subject | filled by | refuses | what A, S, T, V can do "
            + "| how the owner can still sign in |",
        "|---|---|---|---|---|---|",
    ]

    /// The lines of the group's table.
    var table: [String] {
        Self.head
            + limits.map { row -> String in
                let commit = row.isDurable ? "" : ", asynchronous"
                let cells = [
                    "`\(row.name)` \(row.rule.text)\(commit)", row.subject.text, "\(row.filledBy)",
                    "\(row.refuses)", "\(row.abuse)", "\(row.wayIn)",
                ]
                return "|" + cells.map { $0.isEmpty ? " |" : " \($0) |" }.joined()
            }
    }
}
