import Contracts
package import Messages
package import RPC
package import ServiceRuntime
package import Storage

/// A service's audit trail as a feed for those who pass events on. The trail is
/// written in the transaction of what it tells of, so the feed misses nothing, and its positions
/// outlive restarts of both sides: whoever keeps one goes on where it stood.
package struct EventFeed: EventsService {
    /// Events in one answer: about 60 KiB.
    package static let eventsMax = 500
    /// Who may read. A gateway that was taken over has no business with what others do.
    static let readers: Set<String> = ["notification", "tool"]

    private let store: Store
    private let time: any Time

    /// The feed of `store`.
    package init(store: Store, time: any Time) {
        self.store = store
        self.time = time
    }

    package func readEvents(
        _ request: EventsV1.ReadEventsRequest, _ context: CallContext
    ) async throws -> EventsV1.ReadEventsResponse {
        guard Self.readers.contains(context.application) else {
            throw ServiceError(.permissionDenied)
        }
        // Before the snapshot: what is committed after this moment may be missing from it.
        let readAt = time.now()
        if request.positionOnly {
            let latest = try await store.read { try $0.latestEvent() }
            return EventsV1.ReadEventsResponse(
                position: latest.position, isWhole: true, readAtMs: readAt.milliseconds,
                positionAtMs: latest.atMs)
        }
        let wanted = request.limit == 0 ? Self.eventsMax : Int(clamping: request.limit)
        let limit = min(wanted, Self.eventsMax)
        let asked = EventPosition(position: max(0, request.after), atMs: request.afterAtMs)
        let (after, events) = try await store.read { session in
            let after = try session.present(asked)
            return (after, try session.events(after: after.position, limit: limit))
        }
        return EventsV1.ReadEventsResponse(
            events: events, position: events.last?.position ?? after.position,
            isWhole: events.count < limit, readAtMs: readAt.milliseconds,
            positionAtMs: events.last?.atMs ?? after.atMs)
    }
}

/// Where a reader stands, and the time of the event there.
private struct EventPosition {
    let position: Int64
    let atMs: Int64
}

extension SQLSession {
    /// The latest event; 0 where there is none.
    fileprivate func latestEvent() throws -> EventPosition {
        try queryOne("SELECT number, at_ms FROM audit ORDER BY number DESC LIMIT 1") {
            EventPosition(position: try $0.integer(0), atMs: try $0.integer(1))
        } ?? EventPosition(position: 0, atMs: 0)
    }

    /// Where a reader goes on who stood at `asked`. In a restored store another event stands there,
    /// or none; what happened since is what is later than the event that the reader saw. That is
    /// searched once, so it needs no index.
    fileprivate func present(_ asked: EventPosition) throws -> EventPosition {
        guard asked.position > 0 else { return asked }
        let there = try queryOne(
            "SELECT at_ms FROM audit WHERE number = ?", [.integer(asked.position)]
        ) { try $0.integer(0) }
        if there == asked.atMs { return asked }
        let before =
            try queryOne(
                "SELECT max(number) FROM audit WHERE at_ms <= ?", [.integer(asked.atMs)]
            ) { try $0.optionalInteger(0) } ?? nil
        return EventPosition(position: before ?? 0, atMs: asked.atMs)
    }

    /// Events after a position. Keyed hashes of addresses and devices are not read: outside this
    /// service they would only serve to follow people.
    fileprivate func events(after position: Int64, limit: Int) throws -> [EventsV1.Event] {
        try query(
            """
            SELECT number, at_ms, kind, account, session, outcome, attempt
            FROM audit WHERE number > ? ORDER BY number LIMIT ?
            """,
            [.integer(position), .integer(Int64(limit))]
        ) { row in
            EventsV1.Event(
                position: try row.integer(0), atMs: try row.integer(1), kind: try row.text(2),
                accountId: try row.optionalInteger(3).flatMap { AccountID(key: $0)?.text } ?? "",
                sessionId: try row.optionalInteger(4).flatMap { SessionID(key: $0)?.text } ?? "",
                outcome: try row.optionalText(5) ?? "", attempt: try row.optionalInteger(6) ?? 0)
        }
    }
}
