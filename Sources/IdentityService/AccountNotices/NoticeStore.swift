import ServiceRuntime
import Storage

extension Transaction {
    /// Records that a notice was mailed, and deletes a few records that are older than the window.
    func noteNotice(_ account: AccountID, _ kind: NoticeKind) throws {
        try purge("notices") { rowsMax in
            try execute(
                """
                DELETE FROM notices
                WHERE notice IN (SELECT notice FROM notices ORDER BY notice LIMIT ?)
                  AND mailed_at_ms <= ?
                """,
                [.integer(rowsMax), SQLValue(at - NoticeRule.window)])
        }
        try execute(
            "INSERT INTO notices (account, kind, mailed_at_ms) VALUES (?, ?, ?)",
            [.integer(account.key), .integer(kind.rawValue), SQLValue(at)])
    }

    /// The number of notices of a kind that were mailed within the rule's window.
    func recentNotices(_ account: AccountID, _ kind: NoticeKind) throws -> Int {
        let count = try queryOne(
            """
            SELECT count(*) FROM notices WHERE account = ? AND kind = ? AND mailed_at_ms > ?
            """,
            [
                .integer(account.key), .integer(kind.rawValue), SQLValue(at - NoticeRule.window),
            ]
        ) { try $0.integer(0) }
        return Int(count ?? 0)
    }
}
