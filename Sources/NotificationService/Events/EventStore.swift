import ServiceRuntime
import Storage

/// The tables of events that are kept for webhooks, and of what waits for each webhook.
package enum EventStore {
    /// How long events are kept: what a replay can reach back to, longer than any is retried.
    package static let keptFor: Duration = .seconds(7 * 24 * 3_600)

    /// The schema. `lane`: the account's key, or minus the origin's number. Of each webhook's lane
    /// only the first waiting delivery has `due_at_ms`, so that one index walk finds what may go
    /// and nothing overtakes.
    static func migration(number: Int) -> Migration {
        Migration(
            number: number,
            sql: """
                CREATE TABLE event_origin (
                    origin INTEGER PRIMARY KEY,
                    position INTEGER NOT NULL
                ) STRICT;
                CREATE TABLE event (
                    position INTEGER PRIMARY KEY AUTOINCREMENT,
                    id INTEGER NOT NULL,
                    origin INTEGER NOT NULL,
                    lane INTEGER NOT NULL,
                    at_ms INTEGER NOT NULL,
                    kind TEXT NOT NULL,
                    account INTEGER,
                    session INTEGER,
                    outcome TEXT,
                    attempt INTEGER,
                    kept_from_ms INTEGER NOT NULL
                ) STRICT;
                CREATE INDEX event_kept ON event (kept_from_ms);
                CREATE TABLE webhook (
                    id INTEGER PRIMARY KEY,
                    target BLOB NOT NULL,
                    secret BLOB NOT NULL,
                    former_secret BLOB,
                    former_until_ms INTEGER,
                    events TEXT NOT NULL,
                    created_at_ms INTEGER NOT NULL,
                    is_paused INTEGER NOT NULL DEFAULT 0,
                    last_failure TEXT
                ) STRICT;
                CREATE TABLE webhook_delivery (
                    webhook INTEGER NOT NULL REFERENCES webhook (id) ON DELETE CASCADE,
                    lane INTEGER NOT NULL,
                    event INTEGER NOT NULL REFERENCES event (position) ON DELETE CASCADE,
                    attempts INTEGER NOT NULL DEFAULT 0,
                    since_ms INTEGER NOT NULL,
                    due_at_ms INTEGER,
                    PRIMARY KEY (webhook, lane, event)
                ) STRICT, WITHOUT ROWID;
                CREATE INDEX webhook_delivery_due ON webhook_delivery (webhook, due_at_ms)
                    WHERE due_at_ms IS NOT NULL;
                CREATE INDEX webhook_delivery_event ON webhook_delivery (event);
                """)
    }
}

extension SQLSession {
    /// Up to where each service's feed has been taken.
    func eventPositions() throws -> [EventOrigin: Int64] {
        let rows = try query("SELECT origin, position FROM event_origin") {
            (try $0.integer(0), try $0.integer(1))
        }
        return Dictionary(
            rows.compactMap { origin, position in
                EventOrigin(rawValue: origin).map { ($0, position) }
            },
            uniquingKeysWith: { first, _ in first })
    }

    /// The position of the latest event that was taken; 0 where there is none.
    func latestEvent() throws -> Int64 {
        try queryOne("SELECT max(position) FROM event") { try $0.optionalInteger(0) ?? 0 } ?? 0
    }
}

extension Transaction {
    /// Notes up to where a service's feed has been taken.
    func setEventPosition(_ position: Int64, of origin: EventOrigin) throws {
        try execute(
            """
            INSERT INTO event_origin (origin, position) VALUES (?, ?)
            ON CONFLICT (origin) DO UPDATE SET position = excluded.position
            """,
            [.integer(origin.rawValue), .integer(position)])
    }

    /// Keeps an event under an id of its own.
    /// - Returns: its position among the kept ones.
    func keep(_ event: ServiceEvent, id: EventID) throws -> Int64 {
        let position = try queryOne(
            """
            INSERT INTO event (
                id, origin, lane, at_ms, kind, account, session, outcome, attempt, kept_from_ms)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING position
            """,
            [
                .integer(id.key), .integer(event.origin.rawValue), .integer(event.lane),
                SQLValue(event.at), .text(event.kind), SQLValue(event.account?.key),
                SQLValue(event.session?.key), SQLValue(event.outcome), SQLValue(event.attempt),
                SQLValue(at),
            ]
        ) { try $0.integer(0) }
        guard let position else {
            throw SQLError(.unexpectedValue, detail: "an inserted event has no position")
        }
        return position
    }

    /// Forgets events that were taken before `moment`, and what still waits for them, `limit` at a
    /// time.
    /// - Returns: how many.
    func forgetEvents(keptBefore moment: Timestamp, limit: Int) throws -> Int {
        try execute(
            """
            DELETE FROM event WHERE position IN (
                SELECT position FROM event WHERE kept_from_ms < ? ORDER BY kept_from_ms LIMIT ?)
            """,
            [SQLValue(moment), .integer(Int64(limit))])
    }
}
