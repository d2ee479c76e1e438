import Logging
import ServiceLifecycle
import ServiceRuntime
import Storage
import Synchronization

/// Delivers the messages of one channel. Up to `deliveriesMax` attempts run concurrently. One task
/// loops; each round stores the outcomes of attempts and claims the next messages in one
/// transaction. So one commit covers all attempts that ended during the previous one. Each channel
/// has its own worker: a mail server that hangs does not delay codes that go to phones.
///
/// On a graceful shutdown it starts no new attempts and lets running ones finish. An attempt that
/// is cut off stays `sending` and is retried at the next start, with the same Message-ID.
final class DeliveryWorker: Sendable {
    /// How long to wait before a retry when the store fails.
    static let storeRetry: Duration = .seconds(1)
    /// The longest sleep. Every message has its own due time, so this is only a safety net.
    static let sleepMax: Duration = .seconds(60)

    private let channel: Channel
    private let signal: WakeSignal
    private let holder: LeaseHolder
    private let store: Store
    private let attempts: DeliveryAttempts
    private let log: LogTruncation
    private let changes: MessageChanges
    private let state: Mutex<State>

    private struct State {
        var inFlight: InFlightMessages
        var isStopping = false
    }

    init(
        _ channel: Channel, signal: WakeSignal, deliveriesMax: Int, holder: LeaseHolder,
        store: Store, attempts: DeliveryAttempts, log: LogTruncation, changes: MessageChanges
    ) {
        self.channel = channel
        self.signal = signal
        self.holder = holder
        self.store = store
        self.attempts = attempts
        self.log = log
        self.changes = changes
        state = Mutex(State(inFlight: InFlightMessages(slots: deliveriesMax)))
    }

    private var time: any Time { attempts.time }

    /// Runs until cancelled or until a graceful shutdown.
    func run() async {
        await withGracefulShutdownHandler {
            await withDiscardingTaskGroup { group in
                while !Task.isCancelled, !isDone {
                    let sleep = await round(&group)
                    await signal.wait(atMost: sleep, time: time)
                }
            }
            // After a cancellation: store the outcomes of attempts that succeeded all the same, if
            // the store allows it.
            _ = await storeAndClaim(nil)
        } onGracefulShutdown: {
            self.state.withLock { $0.isStopping = true }
            self.signal.wake()
        }
    }

    /// Whether the worker has to stop and has no message in flight.
    private var isDone: Bool { state.withLock { $0.isStopping && $0.inFlight.isEmpty } }

    // MARK: rounds

    private func round(_ group: inout DiscardingTaskGroup) async -> Duration {
        let readiness = attempts.readiness(channel)
        let now = time.now()
        let budget = state.withLock { state in
            if state.isStopping { state.inFlight.putBackReady(at: now) }
            return state.isStopping ? nil : state.inFlight.claimBudget(readiness)
        }
        let sleep = await storeAndClaim(budget)
        while let message = state.withLock({ $0.inFlight.next() }) {
            group.addTask { await self.runAttempts(startingWith: message) }
        }
        guard case .closed(let until) = readiness else { return sleep }
        return min(sleep, max(until - now, .milliseconds(1)))
    }

    /// Stores the outcomes of attempts and claims as many messages as there is capacity for.
    /// - Returns: how long to sleep if nothing wakes the worker.
    private func storeAndClaim(_ budget: ClaimBudget?) async -> Duration {
        let finished = state.withLock { $0.inFlight.takeFinished() }
        do {
            if finished.isEmpty {
                let sleep = try await sleepBefore(claiming: budget)
                if sleep > .zero { return sleep }
            }
            let claimed = try await write(finished, budget)
            let isWaiting = state.withLock { state in
                state.inFlight.settle(finished: finished.count, claimed: claimed.leased)
                return !state.inFlight.isEmpty
            }
            // Nothing to do but wait for attempts to end. Each end wakes the worker.
            let isIdle = finished.isEmpty && claimed.leased.isEmpty && claimed.expired.isEmpty
            return isIdle && isWaiting ? Self.sleepMax : .zero
        } catch {
            state.withLock { $0.inFlight.putBack(finished) }
            if Task.isCancelled { return .zero }
            attempts.logger.warning(
                "notification.delivery.stalled", "claiming messages for delivery failed",
                fields: [.detail: .error(error)])
            return Self.storeRetry
        }
    }

    private func sleepBefore(claiming budget: ClaimBudget?) async throws -> Duration {
        // The end of an attempt wakes the worker.
        guard budget != nil else { return Self.sleepMax }
        let channel = channel
        guard let next = try await store.read({ try $0.nextDueMoment(channel) }) else {
            return Self.sleepMax
        }
        return min(max(next - time.now(), .zero), Self.sleepMax)
    }

    private func write(
        _ finished: [FinishedAttempt], _ budget: ClaimBudget?
    ) async throws -> ClaimedMessages {
        let (channel, holder, routes) = (channel, holder, attempts.routes)
        let (recorded, claimed) = try await store.write(
            about: [], evenIfCancelled: !finished.isEmpty
        ) { transaction in
            (
                try finished.map { try transaction.conclude($0, routes: routes) },
                try budget.map { try transaction.claim(channel, $0, by: holder) }
                    ?? ClaimedMessages()
            )
        }
        for (attempt, after) in zip(finished, recorded) {
            attempts.report(attempt.message, attempt.outcome, after: after)
        }
        for message in claimed.expired { attempts.reportExpired(message) }
        // The content of a message that has ended was deleted from its row.
        let hasEnded = recorded.contains { $0?.delivery.state.isEnded == true }
        if hasEnded || !claimed.expired.isEmpty { log.recordDeletion() }
        changes.publish(
            finished.map(\.message.id) + claimed.leased.map(\.id) + claimed.expired.map(\.id))
        return claimed
    }

    // MARK: attempts

    /// Delivers one message after the other while claimed messages wait for a slot.
    private func runAttempts(startingWith first: StoredMessage) async {
        var message = first
        while true {
            let outcome = await attempt(message)
            let next = state.withLock { state -> StoredMessage? in
                // An attempt that was cut off may have succeeded. Only a success is certain.
                if outcome == .taken || !Task.isCancelled {
                    state.inFlight.finish(
                        FinishedAttempt(
                            message: message, outcome: outcome,
                            jitter: attempts.randomness.integer()))
                } else {
                    state.inFlight.abandon(message)
                }
                return Task.isCancelled ? nil : state.inFlight.next()
            }
            signal.wake()
            guard let next else { return }
            message = next
        }
    }

    private func attempt(_ message: StoredMessage) async -> DeliveryOutcome {
        let now = time.now()
        // A message that has waited too long for its slot could outlive its lease.
        if case .sending(let until) = message.delivery.state,
            until - now < Delivery.lease - Delivery.waitForTryMax
        {
            return .unavailable(DeliveryReason.noPlace.rawValue, until: now)
        }
        return await attempts.outcome(message)
    }
}
