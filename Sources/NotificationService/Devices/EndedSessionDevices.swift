package import Contracts
package import Logging
import Messages
import RPC
import ServiceLifecycle
package import ServiceRuntime
package import Storage

/// Drops the devices of sessions that have ended (G-09): whoever signs out of a borrowed phone is
/// sent nothing more there, whichever way the session ended.
///
/// Session's audit trail tells of every end, in the end's own transaction, and its feed is read from
/// where the last reading stood: an end is missed neither while this service is away nor while
/// session is. What is dropped and where the reading stands is one transaction. While no device goes
/// with a session nothing is read.
package struct EndedSessionDevices: Sendable {
    /// How soon after an end its devices go.
    package static let every: Duration = .seconds(1)
    private static let timeout: Duration = .seconds(5)
    /// A first reading begins so long before the oldest device was registered, for clocks that differ.
    private static let margin: Duration = .seconds(60)

    private let sessions: any EventsAPI
    private let store: Store
    private let keys: NotificationKeys
    private let time: any Time
    private let logger: Logger

    /// - Parameter sessions: session's feed of events.
    package init(
        sessions: any EventsAPI, store: Store, keys: NotificationKeys, time: any Time,
        logger: Logger
    ) {
        self.sessions = sessions
        self.store = store
        self.keys = keys
        self.time = time
        self.logger = logger
    }

    /// Works until cancelled or told to shut down.
    package func run() async {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                if await hasMore() { continue }
                // Only cancellation ends the sleep early, and then the loop ends too.
                try? await time.sleep(for: Self.every)
            }
        }
    }

    private func hasMore() async -> Bool {
        do {
            return try await follow()
        } catch {
            logger.debug(
                "notification.revocations.read.failed", "reading ended sessions failed",
                fields: [.detail: .error(error)])
            return false
        }
    }

    /// Reads once.
    /// - Returns: whether there is more to be read at once.
    func follow() async throws -> Bool {
        let (oldest, place) = try await store.read {
            (try $0.oldestSessionDevice(), try $0.sessionFeedPosition())
        }
        guard let oldest else {
            if place != nil { try await store.write { try $0.forgetSessionFeedPosition() } }
            return false
        }
        let answer = try await sessions.readEvents(
            Self.request(from: place, oldest: oldest),
            CallContext(application: "notification", deadline: time.uptime() + Self.timeout))
        let next = FeedPosition(position: answer.position, atMs: answer.positionAtMs)
        guard next != place else { return false }
        let ends = answer.events.compactMap(DeviceEnd.init)
        try await store.write { transaction in
            for end in ends { try transaction.drop(end, keys) }
            try transaction.setSessionFeedPosition(next)
        }
        return !answer.isWhole
    }

    /// From where the last reading stood. The first one asks for a place beyond all, where the feed
    /// then goes by time: to before any session that a device here goes with has ended.
    private static func request(
        from place: FeedPosition?, oldest: Timestamp
    ) -> EventsV1.ReadEventsRequest {
        EventsV1.ReadEventsRequest(
            after: place?.position ?? .max, afterAtMs: place?.atMs ?? (oldest - margin).milliseconds
        )
    }
}

/// What an event says of devices.
private enum DeviceEnd: Sendable {
    /// This session's go.
    case session(SessionID, of: AccountID)
    /// A backup of session's was restored, which ended all sessions that there were.
    case all(before: Timestamp)

    init?(_ event: EventsV1.Event) {
        switch AuditKind(rawValue: event.kind) {
        case .sessionEnded, .refreshTokenReplayed:
            guard let session = SessionID(text: event.sessionId),
                let account = AccountID(text: event.accountId)
            else { return nil }
            self = .session(session, of: account)
        case .backupRestored: self = .all(before: Timestamp(milliseconds: event.atMs))
        default: return nil
        }
    }
}

extension Transaction {
    fileprivate func drop(_ end: DeviceEnd, _ keys: NotificationKeys) throws {
        switch end {
        case .session(let session, let account):
            let account = keys.account(account)
            let dropped = try dropDevices(
                ofAccount: account, session: keys.devices.session(session))
            if dropped > 0 { try audit(AuditEvent(.pushDeviceSignedOut, subject: account)) }
        case .all(let moment): try dropSessionDevices(seenBefore: moment)
        }
    }
}
