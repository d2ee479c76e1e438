import ServiceRuntime

extension Transaction {
    /// Adds a message, which is delivered once this transaction is on disk, or never.
    /// - Throws: `SQLError`.
    package func enqueue(_ message: OutboxMessage) throws {
        try execute(
            """
            INSERT INTO outbox (
                topic, message_key, lane, payload, created_at_ms, due_at_ms, queue)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """,
            [
                .text(message.topic), .text(message.key), SQLValue(message.lane),
                .blob(message.payload), SQLValue(at), SQLValue(message.notBefore ?? at),
                .integer(message.queue.number),
            ])
        commit.hasEnqueued = true
    }

    /// Deletes a delivered message.
    func removeOutboxMessage(_ number: Int64) throws {
        try execute("DELETE FROM outbox WHERE number = ?", [.integer(number)])
    }

    /// Records a failed attempt and when the next one is due.
    func postponeOutboxMessage(_ number: Int64, until due: Timestamp) throws {
        try execute(
            "UPDATE outbox SET attempts = attempts + 1, due_at_ms = ? WHERE number = ?",
            [SQLValue(due), .integer(number)])
    }
}

extension SQLSession {
    /// The number of messages that wait for delivery.
    /// - Throws: `SQLError`.
    package func outboxCount() throws -> Int {
        Int(try queryOne("SELECT count(*) FROM outbox") { try $0.integer(0) } ?? 0)
    }

    /// The first messages of a queue that may be delivered now: due, and the first of their lane.
    func dueOutboxMessages(
        _ queue: OutboxQueue, at moment: Timestamp, limit: Int
    ) throws -> [OutboxRelay.Row] {
        try query(
            """
            SELECT number, attempts, topic, message_key, payload, lane
            FROM outbox AS this
            WHERE queue = ? AND due_at_ms <= ?
              AND (lane IS NULL OR NOT EXISTS (
                SELECT 1 FROM outbox AS earlier
                WHERE earlier.lane = this.lane AND earlier.topic = this.topic
                  AND earlier.number < this.number))
            ORDER BY due_at_ms, number
            LIMIT ?
            """,
            [.integer(queue.number), SQLValue(moment), .integer(Int64(limit))]
        ) { row in
            OutboxRelay.Row(
                number: try row.integer("number"), attempts: try row.integer("attempts"),
                message: OutboxMessage(
                    topic: try row.text("topic"), key: try row.text("message_key"),
                    payload: try row.blob("payload"),
                    lane: try row.optionalInteger("lane"), queue: queue))
        }
    }

    /// When the next message of a queue after `moment` is due.
    func nextOutboxMoment(_ queue: OutboxQueue, after moment: Timestamp) throws -> Timestamp? {
        try queryOne(
            "SELECT min(due_at_ms) FROM outbox WHERE queue = ? AND due_at_ms > ?",
            [.integer(queue.number), SQLValue(moment)]
        ) { try $0.optionalTimestamp(0) } ?? nil
    }
}
