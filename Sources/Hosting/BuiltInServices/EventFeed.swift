import Contracts
package import Messages
package import RPC
package import ServiceRuntime
package import Storage

/// A service's audit trail as an event feed, and that of one account. The trail is
/// written in the same transaction as the change that it records, so the feed misses no event. An
/// event's position is the number of its row (`Feed`): numbers are in the order of commits, have no
/// gaps, and are never given twice, also after a purge. They stay valid across restarts of both
/// sides, so a reader can continue from the last one.
package struct EventFeed: EventsService {
    /// Events in one response: about 60 KiB.
    package static let eventsMax = 500
    /// Rows that one reading looks at, to find events of some kinds.
    private static let rowsLookedAt = 2_000
    /// The applications that may follow a trail. A compromised gateway must not read what other
    /// users do.
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
            throw ServiceError.permitted(onlyTo: "the operator's tool and notification")
        }
        // Read before the snapshot: events committed after this time may be missing from it.
        let readAt = time.now()
        try await store.number(.audit)
        if request.positionOnly {
            let latest = try await store.read { try $0.latestEvent() }
            return EventsV1.ReadEventsResponse(
                position: latest.position, isWhole: true, readAtMs: readAt.milliseconds,
                positionAtMs: latest.atMs)
        }
        let kinds = try AuditKinds(request.kinds)
        let limit = Self.limit(request.limit)
        let rowsMax = kinds.areAll ? limit : Self.rowsLookedAt
        let requested = EventFeed.Position(position: max(0, request.after), atMs: request.afterAtMs)
        let found = try await store.read { session in
            try session.events(
                after: try session.present(requested), limit: limit, kinds, rowsMax: rowsMax)
        }
        return EventsV1.ReadEventsResponse(
            events: found.events, position: found.end.position, isWhole: found.isWhole,
            readAtMs: readAt.milliseconds, positionAtMs: found.end.atMs)
    }

    /// Returns the events about an account before a position. Only identity and the operator's tool
    /// may read them, whatever the callers list says: a compromised gateway must not read what
    /// people do.
    package func listAccountEvents(
        _ request: EventsV1.ListAccountEventsRequest, _ context: CallContext
    ) async throws -> EventsV1.ListAccountEventsResponse {
        try context.requireAccountKeeper()
        guard let account = AccountID(text: request.accountId) else {
            throw ServiceError(.invalidArgument, fields: ["account_id"])
        }
        let kinds = try AuditKinds(request.kinds)
        let limit = Self.limit(request.limit)
        let before = request.before > 0 ? request.before : nil
        try await store.number(.audit)
        let found = try await store.read {
            try $0.records(of: account.key, before: before, limit: limit, kinds)
        }
        return EventsV1.ListAccountEventsResponse(
            events: found.records.map { Self.event($0, of: account) },
            before: found.olderBefore ?? 0)
    }

    private static func limit(_ requested: UInt32) -> Int {
        requested == 0 ? eventsMax : min(Int(clamping: requested), eventsMax)
    }

    private static func event(_ record: AccountRecord, of account: AccountID) -> EventsV1.Event {
        EventsV1.Event(
            position: record.position, atMs: record.at.milliseconds, kind: record.kind,
            accountId: account.text,
            sessionId: record.session.flatMap { SessionID(key: $0)?.text } ?? "",
            outcome: record.outcome ?? "", attempt: record.attempt ?? 0, app: record.app ?? "",
            actor: record.actor ?? "", detail: record.detail ?? "",
            country: record.country ?? "", agent: record.agent ?? "")
    }

    /// A reader's position, and the time of the event there.
    fileprivate struct Position {
        let position: Int64
        let atMs: Int64
    }

    /// What a reading found.
    fileprivate struct Reading {
        var events: [EventsV1.Event] = []
        /// The last row that was read, also if its event is left out.
        var end: Position
        /// There were no further rows.
        var isWhole: Bool
    }
}

extension SQLSession {
    /// The latest event; position 0 if there is none.
    fileprivate func latestEvent() throws -> EventFeed.Position {
        try queryOne(
            "SELECT number, at_ms FROM audit WHERE number > 0 ORDER BY number DESC LIMIT 1"
        ) {
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

    /// The events of some kinds after a position. Those that are left out move the end of the
    /// reading too, so that their reader does not look at them again.
    fileprivate func events(
        after start: EventFeed.Position, limit: Int, _ kinds: AuditKinds, rowsMax: Int
    ) throws -> EventFeed.Reading {
        let rows = try rows(after: start.position, limit: rowsMax, kinds)
        var reading = EventFeed.Reading(end: start, isWhole: rows.count < rowsMax)
        for row in rows {
            if let event = row.event {
                guard reading.events.count < limit else {
                    reading.isWhole = false
                    break
                }
                reading.events.append(event)
            }
            reading.end = row.place
        }
        return reading
    }

    /// Rows after a position, with the events of some kinds. The keyed hashes of addresses and
    /// devices are not read: outside this service they could only be used to track users.
    private func rows(
        after position: Int64, limit: Int, _ kinds: AuditKinds
    ) throws -> [(place: EventFeed.Position, event: EventsV1.Event?)] {
        try query(
            """
            SELECT number, at_ms, kind, account, session, outcome, attempt, app, actor, detail,
                country, agent,
                CASE WHEN substr(kind, 1, 16) = 'key.signing-key-' THEN subject END AS key_id
            FROM audit WHERE number > ? ORDER BY number LIMIT ?
            """,
            [.integer(position), .integer(Int64(limit))]
        ) { row in
            let kind = try row.text("kind")
            let place = EventFeed.Position(
                position: try row.integer("number"), atMs: try row.integer("at_ms"))
            guard kinds.contains(kind) else { return (place, nil) }
            return (place, try event(kind, row))
        }
    }

    private func event(_ kind: String, _ row: SQLRow) throws -> EventsV1.Event {
        EventsV1.Event(
            position: try row.integer("number"), atMs: try row.integer("at_ms"), kind: kind,
            accountId: try row.optionalInteger("account").flatMap { AccountID(key: $0)?.text }
                ?? "",
            sessionId: try row.optionalInteger("session").flatMap { SessionID(key: $0)?.text }
                ?? "",
            outcome: try row.optionalText("outcome") ?? "",
            attempt: try row.optionalInteger("attempt") ?? 0,
            app: try row.optionalText("app") ?? "", actor: try row.optionalText("actor") ?? "",
            keyId: try row.optionalBlob("key_id").map { String(decoding: $0, as: UTF8.self) }
                ?? "",
            detail: try row.optionalText("detail") ?? "",
            country: try row.optionalText("country") ?? "",
            agent: try row.optionalText("agent") ?? "")
    }
}
