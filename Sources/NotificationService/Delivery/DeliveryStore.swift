package import ServiceRuntime
package import Storage

/// What the worker reads and writes of messages that have not ended.
extension Transaction {
    /// Messages of one lane that may be claimed, those due longest first.
    func dueMessages(_ channel: Channel, _ lane: Lane, limit: Int) throws -> [StoredMessage] {
        guard limit > 0 else { return [] }
        return try query(
            """
            SELECT \(StoredMessage.columns) FROM message
            WHERE channel = ? AND lane = ? AND is_warning = ? AND due_at_ms <= ?
            ORDER BY due_at_ms LIMIT ?
            """,
            [
                .integer(channel.rawValue), .integer(lane.number), SQLValue(lane.isWarning),
                SQLValue(at), .integer(Int64(limit)),
            ], StoredMessage.init)
    }

    /// Messages with a lease from a previous process.
    func leasedMessages(limit: Int) throws -> [StoredMessage] {
        try query(
            """
            SELECT \(StoredMessage.columns) FROM message
            WHERE due_at_ms IS NOT NULL AND state = 1 LIMIT ?
            """,
            [.integer(Int64(limit))], StoredMessage.init)
    }

    /// Stores a message's new state. The content of a message that has ended is deleted.
    /// - Returns: whether its state was still `before`.
    func update(
        _ id: MessageID, from before: Delivery, to after: Delivery, reason: String?
    ) throws -> Bool {
        let changed = try execute(
            """
            UPDATE message
            SET state = ?, attempts = ?, unanswered = ?, due_at_ms = ?, ended_at_ms = ?, reason = ?,
                content = CASE WHEN ? THEN NULL ELSE content END
            WHERE id = ? AND state = ? AND attempts = ?
            """,
            [
                .integer(after.state.code), .integer(Int64(after.attempts)),
                .integer(Int64(after.unanswered)),
                SQLValue(after.dueAt), SQLValue(after.state.isEnded ? at : nil),
                SQLValue(reason), SQLValue(after.state.isEnded), .integer(id.key),
                .integer(before.state.code), .integer(Int64(before.attempts)),
            ])
        return changed == 1
    }

    /// Keeps the sealed content of a dead message so that the operator can retry it.
    func keepDeadLetter(_ message: StoredMessage, until moment: Timestamp) throws {
        try execute(
            "INSERT OR REPLACE INTO dead_letter (id, content, kept_until_ms) VALUES (?, ?, ?)",
            [.integer(message.id.key), .blob(message.content), SQLValue(moment)])
    }

    /// Records a failed attempt, and deletes the oldest ones when there are too many.
    func noteFailedTry(_ id: MessageID, attempt: Int, reason: String) throws {
        try execute(
            "INSERT INTO failed_try (message, attempt, at_ms, reason) VALUES (?, ?, ?, ?)",
            [.integer(id.key), .integer(Int64(attempt)), SQLValue(at), .text(reason)])
        guard attempt > NotificationStore.failedTriesMax else { return }
        try execute(
            "DELETE FROM failed_try WHERE message = ? AND attempt <= ?",
            [.integer(id.key), .integer(Int64(attempt - NotificationStore.failedTriesMax))])
    }

    /// Deletes messages that ended before `moment`, `limit` at a time.
    /// - Returns: how many were deleted.
    func forgetMessages(endedBefore moment: Timestamp, limit: Int) throws -> Int {
        let old = try query(
            "SELECT id FROM message WHERE ended_at_ms < ? ORDER BY ended_at_ms LIMIT ?",
            [SQLValue(moment), .integer(Int64(limit))]
        ) { try $0.messageID(0) }
        for id in old { try forget(id) }
        return old.count
    }

    /// Deletes the content of dead messages whose retention time has passed, `limit` at a time.
    /// - Returns: how many were deleted.
    func forgetDeadLetters(limit: Int) throws -> Int {
        try execute(
            """
            DELETE FROM dead_letter WHERE id IN (
                SELECT id FROM dead_letter WHERE kept_until_ms <= ? LIMIT ?)
            """,
            [SQLValue(at), .integer(Int64(limit))])
    }

    /// Deletes a message and its rows in the other tables.
    func forget(_ id: MessageID) throws {
        try execute("DELETE FROM failed_try WHERE message = ?", [.integer(id.key)])
        try execute("DELETE FROM dead_letter WHERE id = ?", [.integer(id.key)])
        try execute("DELETE FROM message WHERE id = ?", [.integer(id.key)])
    }
}

extension NotificationStore {
    /// Failed attempts that are kept of one message, the latest ones.
    static let failedTriesMax = 32
}

extension SQLSession {
    /// When the next message of a channel may be claimed; nil when there is none.
    /// - Throws: `SQLError`.
    package func nextDueMoment(_ channel: Channel) throws -> Timestamp? {
        try Lane.allCases.compactMap { lane in
            try queryOne(
                """
                SELECT due_at_ms FROM message
                WHERE channel = ? AND lane = ? AND is_warning = ? AND due_at_ms IS NOT NULL
                ORDER BY due_at_ms LIMIT 1
                """,
                [.integer(channel.rawValue), .integer(lane.number), SQLValue(lane.isWarning)]
            ) { try $0.timestamp(0) }
        }.min()
    }
}
