import Contracts
package import Messages
package import RPC
package import ServiceRuntime
package import Storage

/// A service's audit trail as an event feed. The trail is written in the same
/// transaction as the change that it records, so the feed misses no event. An event's position is
/// the number of its row: one writer numbers the rows, so numbers are in the order of commits, have
/// no gaps, and are never given twice, also after a purge. They stay valid across restarts of both
/// sides, so a reader can continue from the last one.
package struct EventFeed: EventsService {
    /// Events in one response: about 60 KiB.
    package static let eventsMax = 500
    /// The applications that may read. A compromised gateway must not read what other users do.
    static let readers = CallContext.operators.union(["notification"])

    let store: Store
    let time: any Time

    /// The feed of `store`.
    package init(store: Store, time: any Time) {
        self.store = store
        self.time = time
    }

    /// Returns the events after the reader's position, at most `eventsMax`.
    package func readEvents(
        _ request: EventsV1.ReadEventsRequest, _ context: CallContext
    ) async throws -> EventsV1.ReadEventsResponse {
        guard Self.readers.contains(context.application) else {
            throw ServiceError(.permissionDenied)
        }
        // Read before the snapshot: events committed after this time may be missing from it.
        let readAt = time.now()
        if request.positionOnly {
            let latest = try await store.read { try $0.latestEvent() }
            return EventsV1.ReadEventsResponse(
                position: latest.position, isWhole: true, readAtMs: readAt.milliseconds,
                positionAtMs: latest.atMs)
        }
        let wanted = request.limit == 0 ? Self.eventsMax : Int(clamping: request.limit)
        let limit = min(wanted, Self.eventsMax)
        let requested = EventFeed.Position(position: max(0, request.after), atMs: request.afterAtMs)
        let (after, events) = try await store.read { session in
            let after = try session.present(requested)
            return (after, try session.events(after: after.position, limit: limit))
        }
        return EventsV1.ReadEventsResponse(
            events: events, position: events.last?.position ?? after.position,
            isWhole: events.count < limit, readAtMs: readAt.milliseconds,
            positionAtMs: events.last?.atMs ?? after.atMs)
    }

    /// A reader's position, and the time of the event there.
    fileprivate struct Position {
        let position: Int64
        let atMs: Int64
    }
}

extension SQLSession {
    /// The latest event; position 0 if there is none.
    fileprivate func latestEvent() throws -> EventFeed.Position {
        try queryOne("SELECT number, at_ms FROM audit ORDER BY number DESC LIMIT 1") {
            EventFeed.Position(position: try $0.integer(0), atMs: try $0.integer(1))
        } ?? EventFeed.Position(position: 0, atMs: 0)
    }

    private func eventTime(at position: Int64) throws -> Int64? {
        try queryOne("SELECT at_ms FROM audit WHERE number = ?", [.integer(position)]) {
            try $0.integer(0)
        }
    }

    /// The position from which a reader at `requested` continues. In a restored store there is
    /// another event at that position, or none. Then the new events are those later than the event
    /// that the reader saw last. This search is rare, so it has no index.
    fileprivate func present(_ requested: EventFeed.Position) throws -> EventFeed.Position {
        guard requested.position > 0, requested.atMs > 0 else { return requested }
        if try eventTime(at: requested.position) == requested.atMs { return requested }
        let before =
            try queryOne(
                "SELECT max(number) FROM audit WHERE at_ms <= ?", [.integer(requested.atMs)]
            ) { try $0.optionalInteger(0) } ?? nil
        return EventFeed.Position(position: before ?? 0, atMs: requested.atMs)
    }

    /// The events after a position. The keyed hashes of addresses and devices are not read: outside
    /// this service they could only be used to track users.
    fileprivate func events(after position: Int64, limit: Int) throws -> [EventsV1.Event] {
        try query(
            """
            SELECT number, at_ms, kind, account, session, outcome, attempt, app, actor,
                CASE WHEN substr(kind, 1, 16) = 'key.signing-key-' THEN subject END AS key_id
            FROM audit WHERE number > ? ORDER BY number LIMIT ?
            """,
            [.integer(position), .integer(Int64(limit))]
        ) { row in
            EventsV1.Event(
                position: try row.integer("number"), atMs: try row.integer("at_ms"),
                kind: try row.text("kind"),
                accountId: try row.optionalInteger("account").flatMap { AccountID(key: $0)?.text }
                    ?? "",
                sessionId: try row.optionalInteger("session").flatMap { SessionID(key: $0)?.text }
                    ?? "",
                outcome: try row.optionalText("outcome") ?? "",
                attempt: try row.optionalInteger("attempt") ?? 0,
                app: try row.optionalText("app") ?? "",
                actor: try row.optionalText("actor") ?? "",
                keyId: try row.optionalBlob("key_id").map { String(decoding: $0, as: UTF8.self) }
                    ?? "")
        }
    }
}
