import Contracts
import Logging
import ServiceRuntime
import Storage

/// What the session service does besides answering: hands notices over, tells followers of ends,
/// looks after keys, writes activity and the counts of refused uses, tidies store and memory
/// (`README.md`, "Memory").
struct SessionWork: Sendable {
    let notices: OutboxRelay
    let ends: RevocationRelay
    let signingKeys: SigningKeyRotation
    let activity: ActivityFlusher
    let upkeep: SessionUpkeep
    let rejectedTokens: RejectedTokenFlusher
    let refreshTokens: RefreshTokenKeys
    let confirmations: Confirmations
    let keys: KeysInForce
    let store: Store
    let clock: ClockHold
    let interval: Duration
    let time: any Time

    init(
        parts: SessionParts, settings: SessionSettings, signingKeys: KeysInForce,
        wakeSignal: RevocationSignal,
        endsKeptFor: Duration, epoch: UInt64, notices: any AccountNoticesAPI, logger: Logger
    ) {
        let delivery = NoticeDelivery(notices: notices, parts: parts, logger: logger)
        self.notices = OutboxRelay(
            store: parts.store, time: parts.time, randomness: parts.randomness,
            deliver: { try await delivery.deliver($0) })
        ends = RevocationRelay(
            store: parts.store, log: RevocationLog(), ended: parts.ended, keys: signingKeys,
            wakeSignal: wakeSignal,
            heartbeat: settings.endsHeartbeat, keptFor: endsKeptFor, epoch: epoch,
            time: parts.time, logger: logger)
        self.signingKeys = SigningKeyRotation(
            store: parts.store, keys: signingKeys,
            schedule: SigningKeySchedule(life: settings.signingKeyLife, verifiesFor: endsKeptFor),
            maker: SigningKeyMaker(box: parts.keys.signingKeys, randomness: parts.randomness),
            time: parts.time, logger: logger, wakeSignal: wakeSignal)
        activity = ActivityFlusher(parts: parts, logger: logger)
        upkeep = SessionUpkeep(parts: parts, kept: settings.endedSessionsKept, logger: logger)
        rejectedTokens = RejectedTokenFlusher(parts: parts, logger: logger)
        refreshTokens = parts.refreshTokens
        confirmations = parts.confirmations
        keys = signingKeys
        store = parts.store
        clock = parts.clock
        interval = settings.activityInterval
        time = parts.time
    }

    /// What must be done before the first call: keys that are due, ends that still matter.
    func prepare() async throws {
        try await signingKeys.takeDue()
        try await ends.fill()
    }

    /// Works until cancelled.
    func run() async throws {
        try await withThrowingTaskGroup { group in
            group.addTask { try await notices.run() }
            group.addTask { try await ends.run() }
            group.addTask { try await signingKeys.run() }
            group.addTask { try await keepUp() }
            try await group.waitForAll()
        }
    }

    /// Writes what is in memory alone: the last thing before the store closes.
    func writeRemaining() async {
        await activity.write()
        await rejectedTokens.write(all: true)
    }

    /// Forgets what is too old to matter, while nothing new pushes it out.
    func forget(at now: Timestamp) {
        confirmations.forget(at: now)
        keys.forget(expiredAt: now)
    }

    /// Writes the marks of each interval, and tidies, unless nobody knows what time it is.
    private func keepUp() async throws {
        while true {
            try await time.sleep(for: interval)
            await activity.write()
            await rejectedTokens.write()
            guard !clock.isHeld else { continue }
            forget(at: time.now())
            // Sign-ins and refreshes make a key that is due; this one where there are none.
            await refreshTokens.renewIfDue(in: store, at: time.now())
            await upkeep.step()
        }
    }
}
