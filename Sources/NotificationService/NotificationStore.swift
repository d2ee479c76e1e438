import ServiceRuntime
package import Storage

/// The messages' table. A message is its own idempotency record: its row stays, without its
/// content, for `keptFor` after its end.
package enum NotificationStore {
    /// How long an idempotency key is remembered, at least.
    package static let keptFor: Duration = .seconds(7 * 24 * 3_600)

    /// The schema. `state`: 0 queued, 1 sending, 2 waiting, 3 sent, 4 dead. `due_at_ms`: from when
    /// it may be claimed; for `sending`, the lease's end; null when ended.
    package static let migrations = [
        Migration(
            number: 1,
            sql: """
                CREATE TABLE message (
                    id INTEGER PRIMARY KEY,
                    call_hash BLOB NOT NULL,
                    fingerprint BLOB NOT NULL,
                    recipient_hash BLOB NOT NULL,
                    template TEXT NOT NULL,
                    state INTEGER NOT NULL CHECK (state BETWEEN 0 AND 4),
                    attempts INTEGER NOT NULL,
                    accepted_at_ms INTEGER NOT NULL,
                    expires_at_ms INTEGER,
                    due_at_ms INTEGER,
                    ended_at_ms INTEGER,
                    reason TEXT,
                    content BLOB,
                    CHECK ((due_at_ms IS NULL) = (content IS NULL)),
                    CHECK ((due_at_ms IS NULL) = (ended_at_ms IS NOT NULL))
                ) STRICT;
                CREATE UNIQUE INDEX message_call ON message (call_hash);
                CREATE INDEX message_due ON message (due_at_ms) WHERE due_at_ms IS NOT NULL;
                CREATE INDEX message_ended ON message (ended_at_ms) WHERE ended_at_ms IS NOT NULL;
                """)
    ]
}

extension Transaction {
    // MARK: acceptance

    /// What is known of the call with this hash.
    func accepted(call: [UInt8], fingerprint: [UInt8]) throws -> AcceptedBefore {
        let found = try queryOne(
            "SELECT id, fingerprint FROM message WHERE call_hash = ?", [.blob(call)]
        ) { (id: try $0.messageID(0), fingerprint: try $0.blob(1)) }
        guard let found else { return .fresh }
        return found.fingerprint == fingerprint ? .repeated(found.id) : .mismatch
    }

    /// Adds a message, due at once.
    func insert(_ message: AcceptedMessage) throws {
        try execute(
            """
            INSERT INTO message (
                id, call_hash, fingerprint, recipient_hash, template, state, attempts,
                accepted_at_ms, expires_at_ms, due_at_ms, content)
            VALUES (?, ?, ?, ?, ?, 0, 0, ?, ?, ?, ?)
            """,
            [
                .integer(message.id.key), .blob(message.call), .blob(message.fingerprint),
                .blob(message.recipient), .text(message.template.rawValue), SQLValue(at),
                SQLValue(message.expiresAt), SQLValue(at), .blob(message.content),
            ])
    }

    // MARK: delivery

    /// Messages that may be claimed, those that are due longest first.
    func dueMessages(limit: Int) throws -> [StoredMessage] {
        try query(
            """
            SELECT id, state, attempts, accepted_at_ms, expires_at_ms, due_at_ms,
                   recipient_hash, content
            FROM message WHERE due_at_ms <= ? ORDER BY due_at_ms, id LIMIT ?
            """,
            [SQLValue(at), .integer(Int64(limit))], StoredMessage.init)
    }

    /// Messages whose worker is gone.
    func leasedMessages(limit: Int) throws -> [StoredMessage] {
        try query(
            """
            SELECT id, state, attempts, accepted_at_ms, expires_at_ms, due_at_ms,
                   recipient_hash, content
            FROM message WHERE due_at_ms IS NOT NULL AND state = 1 LIMIT ?
            """,
            [.integer(Int64(limit))], StoredMessage.init)
    }

    /// Writes where a message stands now; an ended one loses its content.
    /// - Returns: whether it still stood as `before` said.
    func update(
        _ id: MessageID, from before: Delivery, to after: Delivery, reason: String?
    ) throws -> Bool {
        let changed = try execute(
            """
            UPDATE message
            SET state = ?, attempts = ?, due_at_ms = ?, ended_at_ms = ?, reason = ?,
                content = CASE WHEN ? THEN NULL ELSE content END
            WHERE id = ? AND state = ? AND attempts = ?
            """,
            [
                .integer(after.state.code), .integer(Int64(after.attempts)),
                SQLValue(after.dueAt), SQLValue(after.state.isEnded ? at : nil),
                SQLValue(reason), SQLValue(after.state.isEnded), .integer(id.key),
                .integer(before.state.code), .integer(Int64(before.attempts)),
            ])
        return changed == 1
    }

    /// Forgets messages that ended before `moment`, `limit` at a time.
    /// - Returns: how many.
    func forgetMessages(endedBefore moment: Timestamp, limit: Int) throws -> Int {
        try execute(
            """
            DELETE FROM message WHERE id IN (
                SELECT id FROM message WHERE ended_at_ms < ? ORDER BY ended_at_ms LIMIT ?)
            """,
            [SQLValue(moment), .integer(Int64(limit))])
    }
}

extension SQLSession {
    /// When the next message may be claimed; nil when there is none.
    func nextDueMoment() throws -> Timestamp? {
        try queryOne("SELECT min(due_at_ms) FROM message WHERE due_at_ms IS NOT NULL") {
            try $0.optionalTimestamp(0)
        } ?? nil
    }
}
