import ServiceRuntime

extension Transaction {
    /// Adds a message, which is delivered once this transaction is on disk, or never. This instance
    /// holds it from the start, so that its relay delivers it without a further write.
    /// - Throws: `SQLError`.
    package func enqueue(_ message: OutboxMessage) throws {
        let due = message.notBefore ?? at
        try put(
            """
            INSERT INTO outbox (
                topic, message_key, lane, payload, created_at_ms, due_at_ms, queue, holder,
                leased_until_ms)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                .text(message.topic), .text(message.key), SQLValue(message.orderingKey),
                .blob(message.payload), SQLValue(at), SQLValue(due),
                .integer(message.queue.number), .integer(instance),
                SQLValue(due + OutboxRelay.lease),
            ])
        commit.hasEnqueued = true
    }

    /// Takes the lease of a message for this instance, or renews it. The lease must be as it was
    /// read: of two instances that claim the same message, the second finds another lease.
    /// - Returns: the row with its new lease; nil when the message is deleted or has another lease.
    func claimOutboxMessage(_ row: OutboxRelay.Row) throws -> OutboxRelay.Row? {
        var claimed = row
        claimed.holder = instance
        claimed.leasedUntil = at + OutboxRelay.lease
        let changed = try execute(
            """
            UPDATE outbox SET holder = ?, leased_until_ms = ?
            WHERE number = ? AND holder = ? AND leased_until_ms = ?
            """,
            [
                .integer(claimed.holder), SQLValue(claimed.leasedUntil), .integer(row.number),
                .integer(row.holder), SQLValue(row.leasedUntil),
            ])
        return changed > 0 ? claimed : nil
    }

    /// Deletes a delivered message, if this instance still holds it.
    ///
    /// The next message of its ordering key becomes this instance's. Its own holder, if that is
    /// another, could not see before its next read that the key is free.
    func removeOutboxMessage(_ row: OutboxRelay.Row) throws {
        let removed = try execute(
            "DELETE FROM outbox WHERE number = ? AND holder = ?",
            [.integer(row.number), .integer(instance)])
        guard removed > 0, let orderingKey = row.message.orderingKey else { return }
        try put(
            """
            UPDATE outbox SET holder = ?1
            WHERE holder <> ?1 AND lane = ?2 AND topic = ?3 AND number = (
                SELECT min(number) FROM outbox WHERE lane = ?2 AND topic = ?3)
            """,
            [.integer(instance), .integer(orderingKey), .text(row.message.topic)])
    }

    /// Records a failed attempt and when the next one is due, if this instance still holds the
    /// message. It holds it for that attempt too.
    func postponeOutboxMessage(_ row: OutboxRelay.Row, until due: Timestamp) throws {
        try put(
            """
            UPDATE outbox SET attempts = attempts + 1, due_at_ms = ?, leased_until_ms = ?
            WHERE number = ? AND holder = ?
            """,
            [
                SQLValue(due), SQLValue(due + OutboxRelay.lease), .integer(row.number),
                .integer(instance),
            ])
    }
}

extension SQLSession {
    /// The number of messages that wait for delivery.
    /// - Throws: `SQLError`.
    package func outboxCount() throws -> Int {
        Int(try queryOne("SELECT count(*) FROM outbox") { try $0.integer(0) } ?? 0)
    }

    /// When the first of the messages that wait for delivery was written; nil if none waits.
    func oldestOutboxMessage() throws -> Timestamp? {
        try queryOne("SELECT created_at_ms FROM outbox ORDER BY number LIMIT 1") {
            try $0.timestamp(0)
        }
    }

    /// Ends all leases, so that a restart after a crash delivers at once what was left.
    ///
    /// Only for a store in a file, when it is opened: `StoreLock` admits one process, so every
    /// holder has stopped. On a server the other instances go on, and their leases must be left to
    /// end by themselves.
    func endOutboxLeases(at moment: Timestamp) throws {
        try execute(
            "UPDATE outbox SET leased_until_ms = 0 WHERE leased_until_ms > ?", [SQLValue(moment)])
    }

    /// The first messages of a queue that `instance` may deliver or claim now: due, the first of
    /// their ordering key, and held by it or with a lease that is over.
    func dueOutboxMessages(
        _ queue: OutboxQueue, for instance: Int64, at moment: Timestamp, limit: Int
    ) throws -> [OutboxRelay.Row] {
        try query(
            """
            SELECT number, attempts, topic, message_key, payload, lane, holder, leased_until_ms
            FROM outbox AS this
            WHERE queue = ? AND due_at_ms <= ? AND (holder = ? OR leased_until_ms <= ?)
              AND (lane IS NULL OR NOT EXISTS (
                SELECT 1 FROM outbox AS earlier
                WHERE earlier.lane = this.lane AND earlier.topic = this.topic
                  AND earlier.number < this.number))
            ORDER BY due_at_ms, number
            LIMIT ?
            """,
            [
                .integer(queue.number), SQLValue(moment), .integer(instance), SQLValue(moment),
                .integer(Int64(limit)),
            ]
        ) { row in
            OutboxRelay.Row(
                number: try row.integer("number"), attempts: try row.integer("attempts"),
                message: OutboxMessage(
                    topic: try row.text("topic"), key: try row.text("message_key"),
                    payload: try row.blob("payload"),
                    orderingKey: try row.optionalInteger("lane"), queue: queue),
                holder: try row.integer("holder"),
                leasedUntil: try row.timestamp("leased_until_ms"))
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
