import Contracts
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

    /// Messages with a lease of this holder.
    func leasedMessages(of holder: LeaseHolder, limit: Int) throws -> [StoredMessage] {
        try query(
            """
            SELECT \(StoredMessage.columns) FROM message
            WHERE due_at_ms IS NOT NULL AND state = 1 AND holder = ? LIMIT ?
            """,
            [.integer(holder.key), .integer(Int64(limit))], StoredMessage.init)
    }

    /// Stores a message's new state and holder. The content of a message that has ended is deleted.
    ///
    /// The condition fences a worker whose lease has ended: after another one has claimed the
    /// message, neither the outcome of the late attempt nor its consequences are stored.
    /// - Returns: whether state, attempts and holder were still those of `before`.
    func update(
        _ before: StoredMessage, to after: StoredMessage, reason: String?
    ) throws -> Bool {
        let delivery = after.delivery
        let isEnded = delivery.state.isEnded
        let changed = try execute(
            """
            UPDATE message
            SET state = ?, attempts = ?, unanswered = ?, holder = ?, due_at_ms = ?,
                ended_at_ms = ?, reason = ?,
                content = CASE WHEN CAST(? AS BIGINT) = 1 THEN NULL ELSE content END
            WHERE id = ? AND state = ? AND attempts = ? AND holder = ?
            """,
            [
                .integer(delivery.state.code), .integer(Int64(delivery.attempts)),
                .integer(Int64(delivery.unanswered)), .integer(after.holder.key),
                SQLValue(delivery.dueAt), SQLValue(isEnded ? at : nil), SQLValue(reason),
                SQLValue(isEnded), .integer(before.id.key), .integer(before.delivery.state.code),
                .integer(Int64(before.delivery.attempts)), .integer(before.holder.key),
            ])
        return changed == 1
    }

    /// Stores the sealed content of a dead message so that the operator can retry it.
    func storeDeadLetter(_ message: StoredMessage, until moment: Timestamp) throws {
        try put(
            """
            INSERT INTO dead_letter (id, content, kept_until_ms) VALUES (?, ?, ?)
            ON CONFLICT (id) DO UPDATE SET
                content = excluded.content, kept_until_ms = excluded.kept_until_ms
            """,
            [.integer(message.id.key), .blob(message.content), SQLValue(moment)])
    }

    /// Records a failed attempt, and deletes the oldest ones when there are too many.
    func recordFailedTry(_ id: MessageID, attempt: Int, reason: String) throws {
        try put(
            "INSERT INTO failed_try (message, attempt, at_ms, reason) VALUES (?, ?, ?, ?)",
            [.integer(id.key), .integer(Int64(attempt)), SQLValue(at), .text(reason)])
        guard attempt > NotificationStore.failedTriesMax else { return }
        try put(
            "DELETE FROM failed_try WHERE message = ? AND attempt <= ?",
            [.integer(id.key), .integer(Int64(attempt - NotificationStore.failedTriesMax))])
    }

    /// Deletes messages that ended before `moment`, `limit` at a time, with their rows in the other
    /// tables. A message that the operator retries meanwhile has no end any more, and stays.
    /// - Returns: how many were deleted.
    func forgetMessages(endedBefore moment: Timestamp, limit: Int) throws -> Int {
        let old = try query(
            """
            DELETE FROM message WHERE id IN (
                SELECT id FROM message WHERE ended_at_ms < ?1 ORDER BY ended_at_ms LIMIT ?2)
            AND ended_at_ms < ?1 RETURNING id
            """,
            [SQLValue(moment), .integer(Int64(limit))]
        ) { try $0.messageID(0) }
        for id in old {
            try put("DELETE FROM failed_try WHERE message = ?", [.integer(id.key)])
            try put("DELETE FROM dead_letter WHERE id = ?", [.integer(id.key)])
        }
        return old.count
    }
}

extension NotificationStore {
    /// Failed attempts that are stored of one message, the latest ones.
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

/// A message that has not ended, as a worker reads it.
struct StoredMessage: Sendable {
    /// The columns that `init` reads.
    static let columns = """
        id, state, attempts, accepted_at_ms, expires_at_ms, due_at_ms, renewed_at_ms, channel, \
        lane, is_warning, recipient_hash, template, content, unanswered, holder
        """

    let id: MessageID
    let channel: Channel
    let lane: Lane
    var delivery: Delivery
    /// The holder of its lease; without a lease, of its last one.
    var holder: LeaseHolder
    /// The keyed hash of the recipient.
    let recipient: [UInt8]
    /// The template's name; empty for a push message with a text of its sender.
    let template: String
    /// The sealed order.
    let content: [UInt8]

    init(_ row: SQLRow) throws {
        id = try row.messageID("id")
        delivery = Delivery(
            state: try DeliveryState(code: row.integer("state"), dueAt: row.timestamp("due_at_ms")),
            attempts: Int(clamping: try row.integer("attempts")),
            acceptedAt: try row.timestamp("accepted_at_ms"),
            expiresAt: try row.optionalTimestamp("expires_at_ms"),
            renewedAt: try row.optionalTimestamp("renewed_at_ms"),
            unanswered: Int(clamping: try row.integer("unanswered")))
        holder = LeaseHolder(key: try row.integer("holder"))
        channel = try row.channel("channel")
        lane = try row.lane()
        recipient = try row.blob("recipient_hash")
        template = try row.text("template")
        content = try row.blob("content")
    }

    /// The same message with another delivery state and holder.
    func with(_ delivery: Delivery, _ holder: LeaseHolder) -> StoredMessage {
        var message = self
        message.delivery = delivery
        message.holder = holder
        return message
    }
}

extension DeliveryState {
    /// The state's number in the store.
    var code: Int64 {
        switch self {
        case .queued: 0
        case .sending: 1
        case .waiting: 2
        case .sent: 3
        case .dead: 4
        }
    }

    /// The state of a message that has not ended.
    init(code: Int64, dueAt: Timestamp) throws {
        switch code {
        case 0: self = .queued
        case 1: self = .sending(until: dueAt)
        case 2: self = .waiting(until: dueAt)
        default:
            throw SQLError(.unexpectedValue, detail: "message.state of a due message is \(code)")
        }
    }
}

extension SQLRow {
    /// The message's id in `column`.
    func messageID(_ column: SQLColumn) throws -> MessageID {
        guard let id = MessageID(key: try integer(column)) else {
            throw SQLError(.unexpectedValue, detail: "message.id is not positive")
        }
        return id
    }

    /// The channel in `column`.
    func channel(_ column: SQLColumn) throws -> Channel {
        guard let channel = Channel(rawValue: try integer(column)) else {
            throw SQLError(.unexpectedValue, detail: "message.channel is from a newer program")
        }
        return channel
    }

    /// The lane in the columns `lane` and `is_warning`.
    func lane() throws -> Lane {
        let isWarning = try boolean("is_warning")
        guard let lane = Lane(number: try integer("lane"), isWarning: isWarning) else {
            throw SQLError(.unexpectedValue, detail: "message.lane is from a newer program")
        }
        return lane
    }
}
