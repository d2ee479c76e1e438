import ServiceRuntime
import Storage

/// The position up to which a service's feed was imported, with the time of the event there. The
/// time shows whether the feed is still the same after a backup was restored.
struct FeedPosition: Hashable, Sendable {
    let position: Int64
    let atMs: Int64
}

extension SQLSession {
    /// The position up to which each service's feed was imported.
    func feedPositions() throws -> [EventOrigin: FeedPosition] {
        let rows = try query("SELECT origin, position, at_ms FROM event_origin") { row in
            (
                try row.integer("origin"),
                FeedPosition(position: try row.integer("position"), atMs: try row.integer("at_ms"))
            )
        }
        return Dictionary(
            rows.compactMap { origin, position in
                EventOrigin(rawValue: origin).map { ($0, position) }
            },
            uniquingKeysWith: { first, _ in first })
    }
}

extension Transaction {
    /// Stores the position up to which a service's feed was imported.
    func setFeedPosition(_ position: FeedPosition, of origin: EventOrigin) throws {
        try put(
            """
            INSERT INTO event_origin (origin, position, at_ms) VALUES (?, ?, ?)
            ON CONFLICT (origin) DO UPDATE
            SET position = excluded.position, at_ms = excluded.at_ms
            """,
            [.integer(origin.rawValue), .integer(position.position), .integer(position.atMs)])
    }

    /// Called when the last webhook is removed, so that the next one does not get events from the
    /// time when there was none.
    func forgetFeedPositions() throws { try execute("DELETE FROM event_origin") }

    /// Stores an event under its own id.
    /// - Returns: its position among the stored events.
    func insert(_ event: ServiceEvent, id: EventID) throws -> Int64 {
        let position = try queryOne(
            """
            INSERT INTO event (
                id, origin, lane, at_ms, kind, account, session, outcome, attempt, detail, country,
                agent, kept_from_ms)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING position
            """,
            [
                .integer(id.key), .integer(event.origin.rawValue), .integer(event.orderingKey),
                SQLValue(event.at), .text(event.kind), SQLValue(event.account?.key),
                SQLValue(event.session?.key), SQLValue(event.outcome), SQLValue(event.attempt),
                SQLValue(event.detail), SQLValue(event.country), SQLValue(event.agent),
                SQLValue(at),
            ]
        ) { try $0.integer(0) }
        guard let position else { throw SQLError(.unexpectedValue, detail: "event.position") }
        return position
    }

    /// Deletes events that were imported before `moment`, with their deliveries, `limit` at a time.
    /// After the last batch, the first remaining delivery of each ordering key becomes due. That
    /// query reads all deliveries, so it does not run after every batch.
    /// - Returns: how many events were deleted.
    func forgetEvents(importedBefore moment: Timestamp, limit: Int) throws -> Int {
        let forgotten = try execute(
            """
            DELETE FROM event WHERE position IN (
                SELECT position FROM event WHERE kept_from_ms < ?1 ORDER BY kept_from_ms LIMIT ?2)
            AND kept_from_ms < ?1
            """,
            [SQLValue(moment), .integer(Int64(limit))])
        if forgotten < limit {
            try put(
                """
                UPDATE webhook_delivery SET due_at_ms = ? WHERE (webhook, lane, event) IN (
                    SELECT webhook, lane, min(event) FROM webhook_delivery
                    GROUP BY webhook, lane HAVING count(due_at_ms) = 0)
                AND due_at_ms IS NULL
                """, [SQLValue(at)])
        }
        return forgotten
    }
}
