import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage

/// Deletes the devices of sessions that have ended (G-09), however they ended: after signing out of
/// a borrowed phone a user gets no more messages there.
///
/// Session's audit trail records every end in the end's own transaction. Its feed is read from the
/// last position, so no end is missed while this service or session is down. Deletions and the new
/// position are one transaction. While no device is bound to a session, nothing is read.
struct EndedSessionDevices: Sendable {
    /// How often the feed is read: a session's devices are deleted within a second of its end.
    static let every: Duration = .milliseconds(500)
    private static let timeout: Duration = .seconds(5)
    /// The first reading starts this long before the oldest device was registered, to allow for
    /// clock differences.
    private static let margin: Duration = .seconds(60)

    /// Session's event feed.
    let sessions: any EventsAPI
    let store: Store
    let keys: NotificationKeys
    let time: any Time

    /// Follows the feed.
    var duty: Duty { Duty("ended-session-devices", every: Self.every, step: follow) }

    /// Reads once.
    /// - Returns: whether there is more to read at once.
    /// - Throws: what the call to session throws; store errors.
    func follow() async throws -> Bool {
        let (oldest, position) = try await store.read {
            (try $0.oldestSessionDevice(), try $0.sessionFeedPosition())
        }
        guard let oldest else {
            if position != nil {
                try await store.write(about: [.table("session_feed")]) {
                    try $0.forgetSessionFeedPosition()
                }
            }
            return false
        }
        let answer = try await sessions.readEvents(
            Self.request(from: position, oldest: oldest),
            CallContext(application: "notification", deadline: time.uptime() + Self.timeout))
        let next = FeedPosition(position: answer.position, atMs: answer.positionAtMs)
        guard next != position else { return false }
        try await store.write(about: [.table("session_feed")]) { transaction in
            for event in answer.events { try transaction.dropDevices(endedBy: event, keys) }
            try transaction.setSessionFeedPosition(next)
        }
        return !answer.isWhole
    }

    /// Reads from the last position. The first request names a position beyond all others, for
    /// which the feed selects by time: from before any session with a device here can have ended.
    private static func request(
        from position: FeedPosition?, oldest: Timestamp
    ) -> EventsV1.ReadEventsRequest {
        EventsV1.ReadEventsRequest(
            after: position?.position ?? .max,
            afterAtMs: position?.atMs ?? (oldest - margin).milliseconds,
            kinds: ends.map(\.rawValue)
        )
    }

    /// What `dropDevices` acts on: without the refreshes, which are most of session's events.
    private static let ends: [AuditKind] = [
        .sessionEnded, .refreshTokenReplayed, .backupRestored,
    ]
}

extension Transaction {
    /// Deletes the devices of the session that an event ended.
    fileprivate func dropDevices(endedBy event: EventsV1.Event, _ keys: NotificationKeys) throws {
        switch AuditKind(rawValue: event.kind) {
        case .sessionEnded, .refreshTokenReplayed:
            guard let session = SessionID(text: event.sessionId),
                let account = AccountID(text: event.accountId).map(keys.account)
            else { return }
            try lock(.hash(account))
            let dropped = try dropDevices(
                ofAccount: account, session: keys.devices.session(session))
            if dropped > 0 { try audit(AuditEvent(.pushDeviceSignedOut, subject: account)) }
        // A backup of session was restored, which ended all existing sessions.
        case .backupRestored:
            try lock(.table("push_device"))
            try dropSessionDevices(seenBefore: Timestamp(milliseconds: event.atMs))
        default: return
        }
    }
}

extension SQLSession {
    /// The smallest last-seen time of all devices that are bound to a session; nil if there is no
    /// such device.
    func oldestSessionDevice() throws -> Timestamp? {
        try queryOne(
            "SELECT min(seen_at_ms) FROM push_device WHERE session_hash IS NOT NULL"
        ) { try $0.optionalTimestamp(0) } ?? nil
    }

    /// The position of the last reading; nil if there was none.
    func sessionFeedPosition() throws -> FeedPosition? {
        try queryOne("SELECT position, at_ms FROM session_feed") {
            FeedPosition(position: try $0.integer(0), atMs: try $0.integer(1))
        }
    }
}

extension Transaction {
    /// Stores the position of a reading.
    func setSessionFeedPosition(_ position: FeedPosition) throws {
        try put(
            """
            INSERT INTO session_feed (one, position, at_ms) VALUES (1, ?, ?)
            ON CONFLICT (one) DO UPDATE SET position = excluded.position, at_ms = excluded.at_ms
            """,
            [.integer(position.position), .integer(position.atMs)])
    }

    /// Called when no device is bound to a session. The next such device makes reading start at its
    /// own time.
    func forgetSessionFeedPosition() throws { try execute("DELETE FROM session_feed") }

    /// Deletes the devices bound to a session that were last seen before `moment`.
    func dropSessionDevices(seenBefore moment: Timestamp) throws {
        try put(
            "DELETE FROM push_device WHERE session_hash IS NOT NULL AND seen_at_ms <= ?",
            [SQLValue(moment)])
    }
}
