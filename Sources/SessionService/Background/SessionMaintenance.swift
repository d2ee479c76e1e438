import Logging
import ServiceRuntime
import Storage
import Synchronization

/// Maintains memory and store at each interval. `run` writes activity and counts of rejected
/// tokens, and removes what has expired from memory. The duties rotate the refresh token key when
/// it is due, and write the ends of sessions that have timed out without a call, a part of the
/// table at a time.
///
/// Each step is short, so that no refresh waits long for it. Sessions that may be over are found
/// with a reader, since between two open sessions there can be any number of ended ones. Only those
/// found are checked again and written by the writer. The sweep walks the whole table by key and
/// starts again.
final class SessionMaintenance: Sendable {
    /// Rows that one step reads: a few milliseconds.
    private static let stepRows = 256
    /// Steps at each interval: 4,096 rows, so that a million are visited within some hours.
    private static let stepsMax = 16

    private let store: Store
    private let settings: SessionSettings
    private let life: SessionLife
    private let memory: SessionMemory
    private let keys: CurrentSigningKeys
    private let refreshTokens: RefreshTokenKeys
    private let time: any Time
    private let logger: Logger
    /// The key at which the sweep continues.
    private let position = Mutex<Int64>(0)

    init(
        store: Store, settings: SessionSettings, memory: SessionMemory, keys: CurrentSigningKeys,
        refreshTokens: RefreshTokenKeys, time: any Time, logger: Logger
    ) {
        self.store = store
        self.settings = settings
        life = SessionLife(settings)
        self.memory = memory
        self.keys = keys
        self.refreshTokens = refreshTokens
        self.time = time
        self.logger = logger
    }

    /// Runs until cancelled. Writes at each interval, and removes what has expired from memory
    /// while the clock is trusted.
    func run() async throws {
        while true {
            try await time.sleep(for: settings.activityInterval)
            await writeActivity()
            await writeRejectedTokens()
            guard !store.clock.isHeld else { continue }
            forget(at: time.now())
            await readRefreshKeys()
        }
    }

    /// The rotation of the refresh token key and the sweep. Both pause while the clock is not
    /// trusted.
    var duties: [Duty] {
        [
            Duty("refresh-key", every: settings.activityInterval) { [self] in
                guard !store.clock.isHeld else { return false }
                // Sign-ins and refreshes rotate a due key; this does it when there are none.
                await refreshTokens.renewIfDue(in: store, at: time.now())
                return false
            },
            Duty("session-sweep", every: settings.activityInterval) { [self] in
                guard !store.clock.isHeld else { return false }
                try await step()
                return false
            },
        ]
    }

    /// Writes the last uses of sessions.
    func writeActivity() async { await memory.activity.write(to: store, logger) }

    /// Writes the counts of the windows that are over, or all.
    func writeRejectedTokens(all: Bool = false) async {
        await memory.rejectedTokens.write(overAt: all ? nil : time.now(), to: store, logger)
    }

    /// Another instance may have rotated the key. An instance that does not read it goes on issuing
    /// tokens under the former key, which is deleted before those tokens expire.
    private func readRefreshKeys() async {
        do {
            try await refreshTokens.reload(from: store)
        } catch {
            logger.warning(
                "session.refresh_keys.read.failed", "reading the refresh token keys failed",
                fields: [.detail: .error(error)])
        }
    }

    /// Removes expired entries from the caches, which otherwise leave only when new ones arrive.
    private func forget(at now: Timestamp) {
        memory.confirmations.forget(at: now)
        keys.forget(expiredAt: now)
    }

    /// Sweeps a part of the session table.
    func step() async throws {
        for _ in 0..<Self.stepsMax where try await !sweep() { break }
    }

    /// Writes the ends of timed-out sessions among the next rows.
    /// - Returns: whether there may be more before the table's end.
    func sweep() async throws -> Bool {
        let after = position.withLock { $0 }
        let rows = try await store.read {
            try $0.openSessions(after: after, limit: Self.stepRows)
        }
        let now = time.now()
        let found = rows.filter { isOver(memory.activity.applied(to: $0), at: now) }
        if !found.isEmpty { try await recordEnds(of: found.map(\.id)) }
        let last = rows.count < Self.stepRows ? nil : rows.last?.id.key
        position.withLock { $0 = last ?? 0 }
        return last != nil
    }

    /// Ends those of `found` that are still over: one may have been used or ended since it was
    /// read.
    func recordEnds(of found: [SessionID]) async throws {
        let ended = try await store.write(about: found.map(Subject.session)) { [self] transaction in
            let over = try found.compactMap { try memory.session($0, in: transaction) }
                .filter { $0.end == nil && isOver($0, at: transaction.at) }
            return try transaction.end(over, .inactive, life: life, from: .unknown).ended
        }
        memory.revoked.insert(ended)
    }

    private func isOver(_ session: Session, at now: Timestamp) -> Bool {
        if case .over = life.state(of: session, at: now) { true } else { false }
    }
}
