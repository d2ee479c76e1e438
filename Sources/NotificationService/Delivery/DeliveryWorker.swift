import Logging
import ServiceLifecycle
import ServiceRuntime
import Storage
import Synchronization

/// Sends what was accepted: claims what is due, tries up to `deliveriesMax` at once, writes how
/// each try ended. At a shutdown it begins nothing new and lets running tries end; a try that is
/// cut off stays `sending` and is tried again at the next start, under the same Message-ID.
final class DeliveryWorker: Sendable {
    /// How long to wait before asking a store again that could not answer.
    static let storeRetry: Duration = .seconds(1)
    /// The longest rest; every message has its own moment, so this is only a net.
    static let restMax: Duration = .seconds(60)
    /// How often messages that ended long ago are forgotten.
    static let forgetsEvery: Duration = .seconds(3_600)
    /// Rows forgotten or released at once.
    private static let batchMax = 500

    let alarm = DeliveryAlarm()
    private let store: Store
    private let time: any Time
    private let randomness: any Randomness
    private let attempts: DeliveryAttempts
    private let deliveriesMax: Int
    private let logger: Logger
    private let state = Mutex(State())

    private struct State {
        var underway = 0
        /// Nil for at once.
        var forgetsNextAt: Timestamp?
        var isStopping = false
    }

    init(
        store: Store, time: any Time, randomness: any Randomness, attempts: DeliveryAttempts,
        deliveriesMax: Int, logger: Logger
    ) {
        self.store = store
        self.time = time
        self.randomness = randomness
        self.attempts = attempts
        self.deliveriesMax = deliveriesMax
        self.logger = logger
    }

    /// Works until cancelled or told to shut down.
    func run() async {
        await withGracefulShutdownHandler {
            _ = await insist("leases are not released") { transaction in
                while try transaction.releaseLeases(limit: Self.batchMax) > 0 {}
            }
            await withDiscardingTaskGroup { tries in
                while !isStopping, !Task.isCancelled {
                    let rest = await startDue(&tries)
                    await alarm.wait(atMost: rest, time: time)
                }
            }
        } onGracefulShutdown: {
            self.state.withLock { $0.isStopping = true }
            self.alarm.ring()
        }
    }

    private var isStopping: Bool { state.withLock { $0.isStopping } }

    /// Starts all that may go now.
    /// - Returns: how long there is nothing more to start, if nobody rings.
    private func startDue(_ tries: inout DiscardingTaskGroup) async -> Duration {
        let free = deliveriesMax - state.withLock { $0.underway }
        // The end of a try rings.
        guard free > 0 else { return Self.restMax }
        do {
            try await forgetOld()
            guard let next = try await store.read({ try $0.nextDueMoment() }) else {
                return Self.restMax
            }
            let now = time.now()
            guard next <= now else { return min(next - now, Self.restMax) }
            let claimed = try await store.write { try $0.claimDueMessages(limit: free) }
            state.withLock { $0.underway += claimed.count }
            for message in claimed { tries.addTask { await self.attempt(message) } }
            return .zero
        } catch {
            logger.warning("messages cannot be claimed", fields: [.detail: .error(error)])
            return Self.storeRetry
        }
    }

    private func attempt(_ message: StoredMessage) async {
        let outcome = await attempts.outcome(message)
        // A try that was cut off may have come through: only its success is certain.
        if outcome == .taken || !Task.isCancelled {
            let random = randomness.integer()
            let after = await insist("a try's end is not noted") {
                try $0.conclude(message, outcome, random: random)
            }
            attempts.report(message, outcome, after: after ?? nil)
        }
        state.withLock { $0.underway -= 1 }
        alarm.ring()
    }

    /// Forgets messages that ended long ago, once an hour.
    private func forgetOld() async throws {
        let now = time.now()
        guard state.withLock({ $0.forgetsNextAt.map { $0 <= now } ?? true }) else { return }
        let forgotten = try await store.write { transaction in
            try transaction.forgetMessages(
                endedBefore: transaction.at - NotificationStore.keptFor, limit: Self.batchMax)
        }
        if forgotten == Self.batchMax { return }
        state.withLock { $0.forgetsNextAt = now + Self.forgetsEvery }
    }

    /// Writes until it is written: a message that was sent and is not noted as sent would go out
    /// again. Gives up, with nil, when the task is cancelled.
    private func insist<Value: Sendable>(
        _ failure: StaticString, _ change: @escaping @Sendable (Transaction) throws -> Value
    ) async -> Value? {
        while true {
            do {
                return try await store.write(change)
            } catch {
                logger.error(failure, fields: [.detail: .error(error)])
                if Task.isCancelled { return nil }
                // Cancelled in its sleep, it tries once more and leaves.
                try? await time.sleep(for: Self.storeRetry)
            }
        }
    }
}
