import Logging
import ServiceLifecycle
import ServiceRuntime
import Storage
import Synchronization

/// Sends what was accepted for one channel. Tries run side by side, `deliveriesMax` at once; one
/// task goes round, and in each round notes the ends of tries and claims the next messages in one
/// transaction. So a commit serves as many messages as have ended during the one before. A channel
/// has its own worker: a mail server that hangs does not hold up codes that go to phones.
///
/// At a shutdown it begins nothing new and lets running tries end; a try that is cut off stays
/// `sending` and is tried again at the next start, under the same Message-ID.
final class DeliveryWorker: Sendable {
    /// How long to wait before asking a store again that could not answer.
    static let storeRetry: Duration = .seconds(1)
    /// The longest rest; every message has its own moment, so this is only a net.
    static let restMax: Duration = .seconds(60)

    let channel: Channel
    let alarm: DeliverySignal
    private let parts: DeliveryParts
    private let state: Mutex<State>

    private struct State {
        var hand: InFlightMessages
        var isStopping = false
    }

    init(_ channel: Channel, alarm: DeliverySignal, deliveriesMax: Int, parts: DeliveryParts) {
        self.channel = channel
        self.alarm = alarm
        self.parts = parts
        state = Mutex(State(hand: InFlightMessages(places: deliveriesMax)))
    }

    /// Works until cancelled or told to shut down.
    func run() async {
        await withGracefulShutdownHandler {
            await withDiscardingTaskGroup { tries in
                while !Task.isCancelled, !isDone {
                    let rest = await round(&tries)
                    await alarm.wait(atMost: rest, time: parts.time)
                }
            }
            // Cut off: those that came through all the same are noted, if the store takes it.
            _ = await round(nil)
        } onGracefulShutdown: {
            self.state.withLock { $0.isStopping = true }
            self.alarm.wake()
        }
    }

    /// Told to stop, and nothing is in hand.
    private var isDone: Bool { state.withLock { $0.isStopping && $0.hand.isEmpty } }

    // MARK: rounds

    private func round(_ tries: inout DiscardingTaskGroup) async -> Duration {
        let readiness = parts.attempts.readiness(channel)
        let now = parts.time.now()
        let room = state.withLock { state in
            if state.isStopping { state.hand.putBackReady(at: now) }
            return state.isStopping ? nil : state.hand.claimBudget(readiness)
        }
        let rest = await round(room)
        while let message = state.withLock({ $0.hand.next() }) {
            tries.addTask { await self.work(from: message) }
        }
        guard case .closed(let until) = readiness else { return rest }
        return min(rest, max(until - now, .milliseconds(1)))
    }

    /// Notes what has ended, claims what there is room for.
    /// - Returns: how long there is nothing more to do, if nobody rings.
    private func round(_ room: ClaimBudget?) async -> Duration {
        let ends = state.withLock { $0.hand.takeEnds() }
        do {
            if ends.isEmpty {
                let rest = try await restBefore(claiming: room)
                if rest > .zero { return min(rest, try await parts.upkeep.work()) }
            }
            let claimed = try await write(ends, room)
            let isWaiting = state.withLock { state in
                state.hand.settle(ends: ends.count, claimed: claimed)
                return !state.hand.isEmpty
            }
            // Nothing to do but to wait for tries to end: each rings.
            return ends.isEmpty && claimed.isEmpty && isWaiting ? Self.restMax : .zero
        } catch {
            state.withLock { $0.hand.putBack(ends) }
            parts.logger.warning(
                "notification.delivery.stalled", "claiming messages for delivery failed",
                fields: [.detail: .error(error)])
            return Self.storeRetry
        }
    }

    private func restBefore(claiming room: ClaimBudget?) async throws -> Duration {
        // The end of a try rings.
        guard room != nil else { return Self.restMax }
        let channel = channel
        guard let next = try await parts.store.read({ try $0.nextDueMoment(channel) }) else {
            return Self.restMax
        }
        return min(max(next - parts.time.now(), .zero), Self.restMax)
    }

    private func write(_ ends: [Conclusion], _ room: ClaimBudget?) async throws -> [StoredMessage] {
        let (channel, attempts) = (channel, parts.attempts)
        let (noted, claimed) = try await parts.store.write { transaction in
            (
                try ends.map { try transaction.conclude($0, stopping: attempts.routes) },
                try room.map { try transaction.claim(channel, $0) } ?? []
            )
        }
        for (end, after) in zip(ends, noted) {
            attempts.report(end.message, end.outcome, after: after)
        }
        if ends.contains(where: \.isFinal) { parts.upkeep.noteEnd() }
        parts.changes.note(ends.map(\.message.id) + claimed.map(\.id))
        return claimed
    }

    // MARK: tries

    /// Tries one message after the other, as long as some wait for a place.
    private func work(from first: StoredMessage) async {
        var message = first
        while true {
            let outcome = await attempt(message)
            let next = state.withLock { state -> StoredMessage? in
                // A try that was cut off may have come through: only its success is certain.
                if outcome == .taken || !Task.isCancelled {
                    state.hand.end(
                        Conclusion(
                            message: message, outcome: outcome, lot: parts.randomness.integer()))
                } else {
                    state.hand.abandon(message)
                }
                return Task.isCancelled ? nil : state.hand.next()
            }
            alarm.wake()
            guard let next else { return }
            message = next
        }
    }

    private func attempt(_ message: StoredMessage) async -> DeliveryOutcome {
        let now = parts.time.now()
        // What has waited for its place too long might outlive its lease.
        if case .sending(let until) = message.delivery.state,
            until - now < Delivery.lease - Delivery.waitForTryMax
        {
            return .unavailable("no-place", until: now)
        }
        return await parts.attempts.outcome(message)
    }
}

/// What every worker works with.
struct DeliveryParts: Sendable {
    let store: Store
    let time: any Time
    let randomness: any Randomness
    let attempts: DeliveryAttempts
    let upkeep: OutboxUpkeep
    let changes: MessageChanges
    let logger: Logger
}
