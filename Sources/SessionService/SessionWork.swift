import Contracts
import Logging
import ServiceRuntime
import Storage

/// The session service's background tasks: delivers notices, streams revocations, rotates keys,
/// writes activity and counts of rejected tokens, and cleans up store and memory (`README.md`,
/// "Memory").
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
        wakeSignal: WakeSignal,
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

    /// Runs before the first call: rotates keys that are due and loads recent revocations.
    func prepare() async throws {
        try await signingKeys.takeDue()
        try await ends.fill()
    }

    /// Runs until cancelled.
    func run() async throws {
        try await withThrowingTaskGroup { group in
            group.addTask { try await notices.run() }
            group.addTask { try await ends.run() }
            group.addTask { try await signingKeys.run() }
            group.addTask { try await keepUp() }
            try await group.waitForAll()
        }
    }

    /// Writes data that is only in memory: the last step before the store closes.
    func writeRemaining() async {
        await activity.write()
        await rejectedTokens.write(all: true)
    }

    /// Removes expired entries from the caches, which otherwise leave only when new ones arrive.
    func forget(at now: Timestamp) {
        confirmations.forget(at: now)
        keys.forget(expiredAt: now)
    }

    /// Writes activity at each interval, and cleans up while the clock is trusted.
    private func keepUp() async throws {
        while true {
            try await time.sleep(for: interval)
            await activity.write()
            await rejectedTokens.write()
            guard !clock.isHeld else { continue }
            forget(at: time.now())
            // Sign-ins and refreshes rotate a key that is due; this does it when there are none.
            await refreshTokens.renewIfDue(in: store, at: time.now())
            await upkeep.step()
        }
    }
}
