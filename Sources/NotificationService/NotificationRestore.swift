import ServiceRuntime
package import Storage

/// Handles a restored backup at start, so that no message is sent a second time or days late, and
/// none reaches a device that was signed out since (O-01):
///
///     in the copy                      at the first start     because after the backup
///     messages that have not ended     dead, `restored`       they were sent; their links and
///                                                             codes are void
///     push devices                     deleted                one was signed out, revoked, or
///                                                             moved to another account
///     records of calls                 stay                   a repeated call sends nothing twice
///     events that wait for webhooks    are sent               receivers know them by their ids
///     outbox: changed numbers          delivered              identity must know of them
///
/// The operator can retry a message that is dead by `restored` like any other. Its reader may have
/// it already. The restore's audit event has the number of messages; they have none of their own.
///
/// Attack on push devices: a phone changes hands, and its new owner signs in on it. In the copy its
/// token still belongs to the former account, whose messages it would show. Apps register their
/// tokens again when their users sign in, which a restore of the session service requires anyway.
///
/// An event that was delivered after the backup is sent again with the same id, which is in its
/// row. One that was read after it has no row. If its service was not restored too, it is read
/// again and gets another id. Feeds continue by time (`FeedPosition`).
package enum NotificationRestore {
    /// Messages that end with one statement. SQLite holds the pages that a statement changes in
    /// memory until its end: a million messages in one statement took 1 GB and 160 s, with this
    /// many 50 MB and 35 s.
    static let messagesAtOnce = 5_000

    /// Settles a restored copy, once; does nothing in any other store. To be called before anything
    /// else uses the store.
    /// - Throws: as `Store.settleRestoredCopy`.
    package static func settle(_ store: Store) async throws {
        let tables = ["message", "dead_letter", "push_device"]
        try await store.settleRestoredCopy(about: tables.map { .table($0) }) { transaction in
            try transaction.endRestoredMessages(atOnce: messagesAtOnce)
                + transaction.execute("DELETE FROM push_device")
        }
    }
}

extension NotificationStore {
    /// What the first start on a restored copy ends, for `postern restore`.
    /// - Throws: `SQLError`.
    package static func endedByRestore(
        in session: some SQLSession
    ) throws -> [(what: String, count: Int)] {
        func count(_ sql: String) throws -> Int {
            Int(clamping: try session.queryOne(sql) { try $0.integer(0) } ?? 0)
        }
        return [
            (
                "queued messages",
                try count("SELECT count(*) FROM message WHERE due_at_ms IS NOT NULL")
            ),
            ("push devices", try count("SELECT count(*) FROM push_device")),
        ]
    }
}

extension Transaction {
    /// Ends all messages that have not ended, in the order of their ids.
    /// - Returns: how many.
    func endRestoredMessages(atOnce: Int) throws -> Int {
        var ended = 0
        var (after, last) = (Int64.min, try lastMessage(after: .min, atOnce))
        while let end = last {
            ended += try endRestoredMessages(after: after, to: end)
            (after, last) = (end, try lastMessage(after: end, atOnce))
        }
        return ended
    }

    /// The id of the last one of the next `limit` messages that have not ended; nil if there is
    /// none.
    private func lastMessage(after id: Int64, _ limit: Int) throws -> Int64? {
        try queryOne(
            """
            SELECT max(id) FROM (
                SELECT id FROM message WHERE due_at_ms IS NOT NULL AND id > ?
                ORDER BY id LIMIT ?) AS next
            """,
            [.integer(id), .integer(Int64(limit))]
        ) { try $0.optionalInteger(0) } ?? nil
    }

    /// The content of those that have not expired is stored as that of any dead message, so that
    /// the operator can retry it.
    private func endRestoredMessages(after first: Int64, to last: Int64) throws -> Int {
        let place: [SQLValue] = [.integer(first), .integer(last), SQLValue(at)]
        try put(
            """
            INSERT INTO dead_letter (id, content, kept_until_ms)
            SELECT id, content, CASE WHEN expires_at_ms < ?4 THEN expires_at_ms ELSE ?4 END
            FROM message
            WHERE id > ?1 AND id <= ?2 AND due_at_ms IS NOT NULL
                AND (expires_at_ms IS NULL OR expires_at_ms > ?3)
            """,
            place + [SQLValue(at + NotificationStore.retention)])
        return try execute(
            """
            UPDATE message
            SET state = 4, due_at_ms = NULL, ended_at_ms = ?3, reason = ?4, content = NULL
            WHERE id > ?1 AND id <= ?2 AND due_at_ms IS NOT NULL
            """,
            place + [.text(WithdrawalReason.restored.rawValue)])
    }
}
