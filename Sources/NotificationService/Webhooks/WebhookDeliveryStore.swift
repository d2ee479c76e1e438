import ServiceRuntime
import Storage

/// An event that is due for delivery to a webhook.
struct WebhookDelivery: Hashable, Sendable {
    let webhook: WebhookID
    /// `ServiceEvent.orderingKey`.
    let orderingKey: Int64
    let event: StoredEvent
    /// Attempts that have ended.
    let attempts: Int
    /// When the event was queued. The column is `since_ms`.
    let queuedAt: Timestamp
}

extension SQLSession {
    /// Deliveries to a webhook that are due, those due longest first.
    func dueDeliveries(
        to webhook: WebhookID, at now: Timestamp, limit: Int
    ) throws -> [WebhookDelivery] {
        try query(
            """
            SELECT d.lane, d.attempts, d.since_ms, \(StoredEvent.columns)
            FROM webhook_delivery AS d JOIN event AS e ON e.position = d.event
            WHERE d.webhook = ? AND d.due_at_ms <= ? ORDER BY d.due_at_ms LIMIT ?
            """,
            [.integer(webhook.key), SQLValue(now), .integer(Int64(limit))]
        ) { row in
            WebhookDelivery(
                webhook: webhook, orderingKey: try row.integer("lane"),
                event: try StoredEvent(row),
                attempts: Int(clamping: try row.integer("attempts")),
                queuedAt: try row.timestamp("since_ms"))
        }
    }
}

extension SQLSession {
    /// How many of the stored events after a position match a filter.
    func events(after position: Int64, matching filter: WebhookFilter) throws -> Int64 {
        try query(
            "SELECT kind, count(*) FROM event WHERE position > ? GROUP BY kind",
            [.integer(position)]
        ) { (kind: try $0.text(0), count: try $0.integer(1)) }
        .filter { filter.matches($0.kind) }
        .reduce(0) { $0 + $1.count }
    }
}

extension Transaction {
    /// Queues an event for a webhook. It is due at once if it is the first of its ordering key.
    func enqueue(event position: Int64, orderingKey: Int64, webhook: WebhookID) throws {
        try put(
            """
            INSERT INTO webhook_delivery (webhook, lane, event, since_ms, due_at_ms)
            SELECT ?1, ?2, ?3, CAST(?4 AS BIGINT), CASE
                WHEN EXISTS (SELECT 1 FROM webhook_delivery WHERE webhook = ?1 AND lane = ?2)
                THEN NULL ELSE ?4 END
            """,
            [.integer(webhook.key), .integer(orderingKey), .integer(position), SQLValue(at)])
    }

    /// Queues the next stored events for a webhook that is being replayed, in their order. It works
    /// in slices, because a week may have millions of events and all flows share the store's
    /// writer.
    /// - Returns: whether there are more.
    func replayMore(_ id: WebhookID, limit: Int) throws -> Bool {
        guard let webhook = try webhook(id),
            let from = webhook.replayedTo, let filter = WebhookFilter(text: webhook.events)
        else { return false }
        let stored = try query(
            """
            SELECT position, lane, kind FROM event WHERE position > ? ORDER BY position LIMIT ?
            """, [.integer(from), .integer(Int64(limit))]
        ) {
            (
                position: try $0.integer("position"), orderingKey: try $0.integer("lane"),
                kind: try $0.text("kind")
            )
        }
        for event in stored where filter.matches(event.kind) {
            try enqueue(
                event: event.position, orderingKey: event.orderingKey, webhook: webhook.id)
        }
        let isMore = stored.count == limit
        try setReplayed(to: isMore ? stored.last?.position : nil, webhook.id)
        return isMore
    }

    /// Ends a delivery. The next one of its ordering key becomes due.
    func finish(_ delivery: WebhookDelivery) throws {
        let place: [SQLValue] = [.integer(delivery.webhook.key), .integer(delivery.orderingKey)]
        try put(
            "DELETE FROM webhook_delivery WHERE webhook = ? AND lane = ? AND event = ?",
            place + [.integer(delivery.event.position)])
        try put(
            """
            UPDATE webhook_delivery SET due_at_ms = ?3 WHERE webhook = ?1 AND lane = ?2
                AND event = (SELECT min(event) FROM webhook_delivery
                             WHERE webhook = ?1 AND lane = ?2)
            """,
            place + [SQLValue(at)])
    }

    /// Retries a delivery at `moment`, if it is still the first of its ordering key.
    func postpone(_ delivery: WebhookDelivery, to moment: Timestamp) throws {
        try put(
            """
            UPDATE webhook_delivery SET attempts = ?, due_at_ms = ?
            WHERE webhook = ? AND lane = ? AND event = ? AND due_at_ms IS NOT NULL
            """,
            [
                .integer(Int64(delivery.attempts + 1)), SQLValue(moment),
                .integer(delivery.webhook.key), .integer(delivery.orderingKey),
                .integer(delivery.event.position),
            ])
    }
}

/// An event stored for webhooks.
struct StoredEvent: Hashable, Sendable {
    /// Its position among all stored events.
    let position: Int64
    let id: EventID
    let at: Timestamp
    let kind: String
    let account: AccountID?
    let session: SessionID?
    let outcome: String?
    let attempt: Int64?
    let detail: String?
    let country: String?
    let agent: String?
}

extension StoredEvent {
    /// The columns that `init` reads, from the table `event` as `e`.
    fileprivate static let columns = """
        e.position, e.id, e.at_ms, e.kind, e.account, e.session, e.outcome, e.attempt, e.detail,
        e.country, e.agent
        """

    fileprivate init(_ row: SQLRow) throws {
        guard let id = EventID(key: try row.integer("id")) else {
            throw SQLError(.unexpectedValue, detail: "event.id is not positive")
        }
        self.init(
            position: try row.integer("position"), id: id, at: try row.timestamp("at_ms"),
            kind: try row.text("kind"),
            account: try row.optionalInteger("account").flatMap { AccountID(key: $0) },
            session: try row.optionalInteger("session").flatMap { SessionID(key: $0) },
            outcome: try row.optionalText("outcome"),
            attempt: try row.optionalInteger("attempt"),
            detail: try row.optionalText("detail"), country: try row.optionalText("country"),
            agent: try row.optionalText("agent"))
    }
}
