import Contracts
import Logging
import Messages
import ServiceRuntime
import Storage

/// Copies revocations from the store to the log that followers read (S-06): at once after each
/// commit that calls `wakeSignal`, and with every heartbeat, which also covers an end whose caller
/// forgot the signal.
///
/// The store defines the order: calls that commit together complete in any order, and a follower
/// that resumed from the later of two would miss the earlier.
struct RevocationRelay: Sendable {
    let store: Store
    let log: RevocationLog
    let revoked: RevokedSessions
    let keys: CurrentSigningKeys
    let wakeSignal: WakeSignal
    let heartbeat: Duration
    /// How long a revocation matters.
    let retention: Duration
    /// The store's epoch (`SessionRestore`).
    let epoch: UInt64
    let time: any Time
    let logger: Logger

    /// Loads all revocations that still matter into memory and the log.
    func fill() async throws {
        let now = time.now()
        try await store.number(.sessionEnds)
        let (ends, last) = try await store.read { session in
            (
                try session.revocations(since: now - retention),
                try session.lastRevocation()
            )
        }
        take(ends, upTo: last, completeAt: now, isReset: true)
    }

    /// Runs until cancelled.
    func run() async throws {
        try await withThrowingTaskGroup(of: Void.self) { parts in
            parts.addTask {
                while true {
                    try await time.sleep(for: heartbeat)
                    wakeSignal.wake()
                }
            }
            parts.addTask {
                var position = log.position
                while true {
                    await wakeSignal.wait()
                    if Task.isCancelled { return }
                    position = await relay(after: position)
                }
            }
            defer { parts.cancelAll() }
            try await parts.next()
        }
    }

    /// Copies what was added after `position`.
    private func relay(after position: UInt64) async -> UInt64 {
        var position = position
        do {
            while true {
                let now = time.now()
                try await store.number(.sessionEnds)
                let (from, countMax) = (position, Self.revocationsReadMax)
                let ends = try await store.read {
                    try $0.revocations(after: from, countMax: countMax)
                }
                position = ends.last?.position ?? position
                let isAll = ends.count < countMax
                take(ends, upTo: position, completeAt: isAll ? now : nil, isReset: false)
                if isAll { return position }
            }
        } catch {
            if Task.isCancelled { return position }
            // Followers receive no update, so they know that they may miss something. The next
            // heartbeat retries.
            logger.warning(
                "session.revocations.read.failed", "reading revocations failed",
                fields: [.detail: .error(error)])
            return position
        }
    }

    private func take(
        _ ends: [Revocation], upTo position: UInt64, completeAt: Timestamp?, isReset: Bool
    ) {
        revoked.insertStored(ends)
        if let completeAt { revoked.forget(at: completeAt) }
        log.take(
            RevocationUpdate(
                ends: ends, position: position, completeAt: completeAt, isReset: isReset,
                keySet: keys.current.keySetHash, retention: retention, epoch: epoch))
    }

    /// Revocations read at once.
    private static let revocationsReadMax = 1_000
}

extension Feed {
    /// The ends of sessions.
    static let sessionEnds = Feed("session_end")
}

extension SQLSession {
    /// Revocations after a position, in their order.
    func revocations(after position: UInt64, countMax: Int) throws -> [Revocation] {
        try query(
            """
            SELECT \(Revocation.columns) FROM session_end
            WHERE number > ? ORDER BY number LIMIT ?
            """,
            [.integer(Int64(clamping: position)), .integer(Int64(countMax))], Revocation.init)
    }

    /// All numbered revocations after a moment, in their order.
    func revocations(since moment: Timestamp) throws -> [Revocation] {
        try query(
            """
            SELECT \(Revocation.columns) FROM session_end
            WHERE ended_at_ms > ? AND number > 0 ORDER BY number
            """,
            [SQLValue(moment)], Revocation.init)
    }

    /// The position of the newest revocation; 0 if there is none.
    func lastRevocation() throws -> UInt64 {
        try queryOne("SELECT coalesce(max(number), 0) FROM session_end") {
            UInt64(clamping: try $0.integer(0))
        } ?? 0
    }
}

extension Transaction {
    /// How long the row of a revocation is kept: longer than any setting lets an access token live,
    /// plus the leeway of verifiers.
    static var revocationRetention: Duration { .seconds(7_200) }

    /// Adds a session's end to the feed. Required for every statement that ends a session,
    /// otherwise followers miss it.
    func recordRevocation(of id: SessionID, _ reason: EndReason) throws {
        try put(
            "INSERT INTO session_end (session, ended_at_ms, reason) VALUES (?, ?, ?)",
            [.integer(id.key), SQLValue(at), .integer(reason.rawValue)])
    }
}

extension Revocation {
    /// The columns that `init` reads.
    fileprivate static let columns = "number, session, ended_at_ms, reason"

    fileprivate init(_ row: SQLRow) throws {
        guard let session = SessionID(key: try row.integer("session")) else {
            throw SQLError(.unexpectedValue, detail: "session_end.session")
        }
        self.init(
            position: UInt64(clamping: try row.integer("number")), session: session,
            at: try row.timestamp("ended_at_ms"),
            reason: GatewayV1.EndReason(rawValue: Int32(clamping: try row.integer("reason"))))
    }
}
