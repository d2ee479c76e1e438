import Contracts
import Logging
import ServiceRuntime
import Storage

/// What the session service does besides answering: hands notices over, writes activity, tidies.
struct SessionWork: Sendable {
    let relay: OutboxRelay
    let activity: ActivityWriting
    let upkeep: SessionUpkeep
    let clock: ClockHold
    let interval: Duration
    let time: any Time

    init(
        parts: SessionParts, settings: SessionSettings, notices: any AccountNoticesAPI,
        logger: Logger
    ) {
        let delivery = NoticeDelivery(notices: notices, parts: parts, logger: logger)
        relay = OutboxRelay(
            store: parts.store, time: parts.time, randomness: parts.randomness,
            deliver: { try await delivery.deliver($0) })
        activity = ActivityWriting(parts: parts, logger: logger)
        upkeep = SessionUpkeep(parts: parts, kept: settings.endedSessionsKept, logger: logger)
        clock = parts.clock
        interval = settings.activityInterval
        time = parts.time
    }

    /// Works until cancelled.
    func run() async throws {
        try await withThrowingTaskGroup { group in
            group.addTask { try await relay.run() }
            group.addTask { try await keepUp() }
            try await group.waitForAll()
        }
    }

    /// Writes the marks of each interval, and tidies, unless nobody knows what time it is.
    private func keepUp() async throws {
        while true {
            try await time.sleep(for: interval)
            await activity.write()
            if !clock.isHeld { await upkeep.step() }
        }
    }
}
