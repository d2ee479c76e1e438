import Contracts
import Messages
import ServiceRuntime
import Storage

/// The operator's queries of messages.
extension SQLSession {
    /// One message; nil if it does not exist.
    func summary(
        of id: MessageID, at now: Timestamp
    ) throws -> NotificationV1.MessageSummary? {
        try queryOne(
            "SELECT \(NotificationV1.MessageSummary.columns) FROM message WHERE id = ?",
            [.integer(id.key)]
        ) { try NotificationV1.MessageSummary($0, at: now) }
    }

    /// A message's failed attempts, the oldest first.
    func failedTries(of id: MessageID) throws -> [NotificationV1.FailedTry] {
        try query(
            """
            SELECT attempt, at_ms, reason FROM failed_try
            WHERE message = ? ORDER BY attempt, number LIMIT ?
            """,
            [.integer(id.key), .integer(Int64(NotificationStore.failedTriesMax))]
        ) {
            NotificationV1.FailedTry(
                attempt: UInt32(clamping: try $0.integer(0)), atMs: try $0.integer(1),
                reason: try $0.text(2))
        }
    }

    /// A page, the newest message first. It reads at most `NotificationStore.listedRowsMax` rows.
    /// - Returns: the page, and where the next one begins; nil at the end.
    func messages(
        _ filter: MessageFilter, at now: Timestamp
    ) throws -> (page: [NotificationV1.MessageSummary], next: MessageID?) {
        // Dead messages have a partial index, which SQLite uses only if the query repeats its
        // condition.
        let window = """
            SELECT id FROM message WHERE id < ?1 \(filter.state == 4 ? "AND state = 4" : "")
            ORDER BY id DESC LIMIT \(NotificationStore.listedRowsMax)
            """
        let before = SQLValue.integer(filter.before?.key ?? .max)
        let found = try query(
            """
            SELECT \(NotificationV1.MessageSummary.columns) FROM message
            WHERE id IN (\(window)) AND (CAST(?2 AS BIGINT) IS NULL OR state = ?2)
              AND (CAST(?3 AS BIGINT) IS NULL OR channel = ?3)
              AND (CAST(?4 AS TEXT) IS NULL OR template = ?4)
              AND (CAST(?5 AS TEXT) IS NULL OR recipient = ?5)
            ORDER BY id DESC LIMIT ?6
            """,
            [
                before, SQLValue(filter.state), SQLValue(filter.channel?.rawValue),
                SQLValue(filter.template), SQLValue(filter.recipient),
                .integer(Int64(filter.pageSize)),
            ]
        ) { try NotificationV1.MessageSummary($0, at: now) }
        if found.count == filter.pageSize {
            return (found, found.last.flatMap { MessageID(text: $0.messageId) })
        }
        let end = try queryOne("SELECT count(*), min(id) FROM (\(window)) AS page", [before]) {
            (count: try $0.integer(0), id: try $0.optionalInteger(1))
        }
        let isLast = (end?.count ?? 0) < NotificationStore.listedRowsMax
        return (found, isLast ? nil : end?.id.flatMap { MessageID(key: $0) })
    }

    /// How many messages are in each state, without sent ones: these are many, and none of them is
    /// pending.
    func messageCounts() throws -> [NotificationV1.MessageCount] {
        let living = try query(
            "SELECT state, count(*) FROM message WHERE due_at_ms IS NOT NULL GROUP BY state"
        ) { (state: try $0.integer(0), count: try $0.integer(1)) }
        let dead = try query("SELECT 4, count(*) FROM message WHERE state = 4") {
            (state: try $0.integer(0), count: try $0.integer(1))
        }
        return (living + dead).filter { $0.count > 0 }.map {
            NotificationV1.MessageCount(
                state: NotificationV1.MessageState(rawValue: Int32(clamping: $0.state + 1)),
                count: UInt64(clamping: $0.count))
        }
    }
}

/// The operator's changes.
extension Transaction {
    /// Queues a dead message again. Of two retries at one time, the second finds it queued.
    /// - Returns: its channel; nil if it cannot be retried.
    func renew(_ id: MessageID, by actor: String) throws -> Channel? {
        let channel = try queryOne(
            """
            SELECT channel FROM message JOIN dead_letter ON dead_letter.id = message.id
            WHERE message.id = ? AND state = 4 AND (expires_at_ms IS NULL OR expires_at_ms > ?)
            """,
            [.integer(id.key), SQLValue(at)]
        ) { try $0.channel(0) }
        guard let channel else { return nil }
        let renewed = try execute(
            """
            UPDATE message
            SET state = 0, due_at_ms = ?1, renewed_at_ms = ?1, ended_at_ms = NULL, reason = NULL,
                unanswered = 0,
                content = (SELECT content FROM dead_letter WHERE dead_letter.id = ?2)
            WHERE id = ?2 AND state = 4
            """,
            [SQLValue(at), .integer(id.key)])
        guard renewed == 1 else { return nil }
        try put("DELETE FROM dead_letter WHERE id = ?", [.integer(id.key)])
        try audit(AuditEvent(.messageRetried).by(actor))
        return channel
    }

    /// Discards a message, unless it is being delivered or was sent, and deletes its content.
    /// - Returns: whether it was discarded.
    func discard(_ id: MessageID, by actor: String) throws -> Bool {
        let ended = try execute(
            """
            UPDATE message
            SET state = 4, due_at_ms = NULL, ended_at_ms = ?, reason = ?, content = NULL
            WHERE id = ? AND state IN (0, 2)
            """,
            [SQLValue(at), .text(WithdrawalReason.discarded.rawValue), .integer(id.key)])
        let wiped = try execute("DELETE FROM dead_letter WHERE id = ?", [.integer(id.key)])
        guard ended + wiped > 0 else { return false }
        try audit(AuditEvent(.messageDiscarded).by(actor))
        return true
    }

    /// Deletes content and owner of an account's messages, `limit` at a time. The rows remain until
    /// their seven days are over, with the keyed hashes of call and request: otherwise a relay's
    /// repeated call would be accepted as a new message.
    /// - Returns: how many were stripped, and the limits of those that no provider was given, which
    ///   `RecipientRateLimiter` gets back after the commit.
    func forgetMessages(
        ofAccount hash: [UInt8], limit: Int
    ) throws -> (count: Int, unsent: [RecipientRateLimiter.Key]) {
        let found = try query(
            """
            SELECT id, recipient_hash, lane, is_warning, template,
                state IN (0, 2) AND attempts = 0 AS is_unsent
            FROM message WHERE account_hash = ? LIMIT ?
            """,
            [.blob(hash), .integer(Int64(limit))]
        ) { row in
            let lane = Lane(
                number: try row.integer("lane"), isWarning: try row.boolean("is_warning"))
            let isUnsent = try row.boolean("is_unsent")
            return (
                id: try row.messageID("id"),
                unsent: try isUnsent
                    ? lane.map {
                        RecipientRateLimiter.Key(
                            try row.blob("recipient_hash"), $0, try row.text("template"))
                    } : nil
            )
        }
        for message in found { try strip(message.id) }
        return (found.count, found.compactMap(\.unsent))
    }
}

extension Transaction {
    /// Leaves only the idempotency record of a message. A pending message ends, and the outcome of
    /// its running attempt no longer matches the row.
    private func strip(_ id: MessageID) throws {
        try put("DELETE FROM failed_try WHERE message = ?", [.integer(id.key)])
        try put("DELETE FROM dead_letter WHERE id = ?", [.integer(id.key)])
        try put(
            """
            UPDATE message
            SET state = CASE state WHEN 3 THEN 3 ELSE 4 END, due_at_ms = NULL, content = NULL,
                ended_at_ms = coalesce(ended_at_ms, ?), reason = ?, account_hash = NULL,
                recipient_hash = ?, recipient = '…'
            WHERE id = ?
            """,
            [
                SQLValue(at), .text(WithdrawalReason.forgotten.rawValue), .blob([]),
                .integer(id.key),
            ])
    }
}

extension NotificationStore {
    /// Rows that one list request reads at most.
    static let listedRowsMax = 10_000
}

extension NotificationV1.MessageSummary {
    /// The columns of `message` that `init` reads.
    static let columns = """
        id, channel, lane, template, recipient, state, attempts, accepted_at_ms, due_at_ms, \
        expires_at_ms, ended_at_ms, reason, \
        state = 4 AND EXISTS (SELECT 1 FROM dead_letter WHERE dead_letter.id = message.id) \
        AS has_dead_letter, is_warning
        """

    /// A row's message as shown at `now`.
    init(_ row: SQLRow, at now: Timestamp) throws {
        let expiresAt = try row.optionalTimestamp("expires_at_ms")
        self.init(
            messageId: try row.messageID("id").text,
            channel: NotificationV1.MessageChannel(
                rawValue: Int32(clamping: try row.integer("channel"))),
            lane: NotificationV1.MessageLane(
                Lane(number: try row.integer("lane"), isWarning: try row.boolean("is_warning"))),
            template: try row.text("template"), recipient: try row.text("recipient"),
            state: NotificationV1.MessageState(
                rawValue: Int32(clamping: try row.integer("state") + 1)),
            attempts: UInt32(clamping: try row.integer("attempts")),
            acceptedAtMs: try row.integer("accepted_at_ms"),
            dueAtMs: try row.optionalInteger("due_at_ms") ?? 0,
            expiresAtMs: expiresAt?.milliseconds ?? 0,
            endedAtMs: try row.optionalInteger("ended_at_ms") ?? 0,
            reason: try row.optionalText("reason") ?? "",
            canBeRetried: try row.boolean("has_dead_letter") && expiresAt.map { $0 > now } ?? true)
    }
}

extension NotificationV1.MessageLane {
    /// A lane as it is shown; unspecified for one of a newer program.
    fileprivate init(_ lane: Lane?) {
        self =
            switch lane {
            case .requested: .requested
            case .security: .security
            case .notice: .notice
            case .bulk: .bulk
            case nil: .unspecified
            }
    }
}
