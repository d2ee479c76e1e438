import Logging
import ServiceLifecycle
package import ServiceRuntime
import Synchronization

/// Hands the outbox's messages to their receivers, at least once, right after the commit that
/// wrote them. One relay for each store.
///
/// A message is deleted only after `deliver` returned; a crash in between hands it over again,
/// under the same key. What fails is tried again later, for ever: whether it may be given up is
/// for its topic to know, which then returns.
package final class OutboxRelay: Service {
    /// Messages on their way at once: enough to hide a peer's commit, few enough not to flood it.
    package static let deliveriesMax = 16
    /// How long to wait before asking a store again that could not answer.
    static let storeRetry: Duration = .seconds(1)
    /// The longest rest; every message has its own moment, so this is only a net.
    static let restMax: Duration = .seconds(60)

    private let store: Store
    private let time: any Time
    private let randomness: any Randomness
    private let deliver: @Sendable (OutboxMessage) async throws -> Void
    /// Numbers of the messages on their way.
    private let underway = Mutex<Set<Int64>>([])

    /// A relay of the outbox in `store`. `deliver` sets its own time limit and throws to be asked
    /// again.
    package init(
        store: Store, time: any Time, randomness: any Randomness,
        deliver: @escaping @Sendable (OutboxMessage) async throws -> Void
    ) {
        self.store = store
        self.time = time
        self.randomness = randomness
        self.deliver = deliver
    }

    /// Works until cancelled or told to shut down; then waits for what is on its way, cancelled.
    package func run() async throws {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { deliveries in
                while !Task.isCancelled {
                    let rest = await self.startDue(&deliveries)
                    await self.rest(rest)
                }
            }
        }
    }

    /// Starts all that may go now.
    /// - Returns: how long there is nothing more to start, if the bell does not ring.
    private func startDue(_ deliveries: inout DiscardingTaskGroup) async -> Duration {
        let busy = underway.withLock { $0 }
        guard busy.count < Self.deliveriesMax else { return Self.restMax }
        let now = time.now()
        do {
            let (rows, next) = try await store.read { session in
                (
                    // Those on their way are still due, and stand in front.
                    try session.dueOutboxMessages(at: now, limit: Self.deliveriesMax + busy.count),
                    try session.nextOutboxMoment(after: now)
                )
            }
            let waiting = rows.lazy.filter { !busy.contains($0.number) }
            for row in waiting.prefix(Self.deliveriesMax - busy.count) {
                underway.withLock { _ = $0.insert(row.number) }
                deliveries.addTask { await self.handOver(row) }
            }
            return min(next.map { $0 - time.now() } ?? Self.restMax, Self.restMax)
        } catch {
            store.logger.warning("the outbox cannot be read", fields: [.detail: .error(error)])
            return Self.storeRetry
        }
    }

    /// Returns at the next ring, or after `duration`.
    private func rest(_ duration: Duration) async {
        await withTaskGroup { group in
            group.addTask { await self.store.outboxBell.wait() }
            // Only cancellation ends the sleep early, and then the group ends too.
            group.addTask { try? await self.time.sleep(for: duration) }
            await group.next()
            group.cancelAll()
        }
    }

    private func handOver(_ row: OutboxRow) async {
        do {
            try await deliver(row.message)
            await note(row) { try $0.removeOutboxMessage(row.number) }
        } catch {
            // Stopping is not the message's failure; it goes out after the next start.
            if !Task.isCancelled { await postpone(row, error) }
        }
        underway.withLock { _ = $0.remove(row.number) }
        store.outboxBell.ring()
    }

    private func postpone(_ row: OutboxRow, _ error: any Error) async {
        let failures = row.attempts + 1
        store.logger.warning(
            "an outbox message was not delivered",
            fields: [
                .topic: .text(row.message.topic), .row: .integer(row.number),
                .attempt: .integer(failures),
                .detail: .error(error),
            ])
        let wait = OutboxBackoff.wait(failures: failures, random: randomness.integer())
        let due = time.now() + wait
        await note(row) { try $0.postponeOutboxMessage(row.number, until: due) }
    }

    /// Writes what became of a message; insists, since a message handed over and still in the
    /// outbox would be handed over again and again as long as the disk is full.
    private func note(
        _ row: OutboxRow, _ change: @escaping @Sendable (Transaction) throws -> Void
    ) async {
        while true {
            do {
                return try await store.write(change)
            } catch {
                store.logger.warning(
                    "an outbox message's end is not noted",
                    fields: [.topic: .text(row.message.topic), .detail: .error(error)])
                if Task.isCancelled { return }
                // Cancelled in its sleep, it tries once more and leaves.
                try? await time.sleep(for: Self.storeRetry)
            }
        }
    }
}
