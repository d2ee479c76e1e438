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
    /// How long to wait before asking a store again that could not answer.
    static let storeRetry: Duration = .seconds(1)
    /// The longest rest; every message has its own moment, so this is only a net.
    static let restMax: Duration = .seconds(60)

    private let store: Store
    private let time: any Time
    private let randomness: any Randomness
    private let queues: [OutboxQueue]
    private let deliver: @Sendable (OutboxMessage) async throws -> Void
    /// The rows of the messages on their way, by their queue.
    private let underway = Mutex<[OutboxQueue: Set<Int64>]>([:])

    /// A relay of the outbox in `store`. `deliver` sets its own time limit and throws to be asked
    /// again.
    /// - Parameter queues: All that the store's program writes to.
    package init(
        store: Store, time: any Time, randomness: any Randomness,
        queues: [OutboxQueue] = [.standard],
        deliver: @escaping @Sendable (OutboxMessage) async throws -> Void
    ) {
        self.store = store
        self.time = time
        self.randomness = randomness
        self.queues = queues
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
    /// - Returns: how long there is nothing more to start, if the wakeSignal does not ring.
    private func startDue(_ deliveries: inout DiscardingTaskGroup) async -> Duration {
        let busy = underway.withLock { $0 }
        let free = queues.filter { busy[$0, default: []].count < $0.deliveriesMax }
        guard !free.isEmpty else { return Self.restMax }
        let now = time.now()
        do {
            let (found, next) = try await store.read { session in
                (
                    try free.map { queue in
                        // Those on their way are still due, and stand in front.
                        let limit = queue.deliveriesMax + busy[queue, default: []].count
                        return try session.dueOutboxMessages(queue, at: now, limit: limit)
                    },
                    try free.compactMap { try session.nextOutboxMoment($0, after: now) }.min()
                )
            }
            for (queue, rows) in zip(free, found) {
                let waiting = rows.lazy.filter { !busy[queue, default: []].contains($0.number) }
                for row in waiting.prefix(queue.deliveriesMax - busy[queue, default: []].count) {
                    underway.withLock { _ = $0[queue, default: []].insert(row.number) }
                    deliveries.addTask { await self.handOver(row) }
                }
            }
            return min(next.map { $0 - time.now() } ?? Self.restMax, Self.restMax)
        } catch {
            store.logger.warning(
                "outbox.read.failed", "reading the outbox failed", fields: [.detail: .error(error)])
            return Self.storeRetry
        }
    }

    /// Returns at the next ring, or after `duration`.
    private func rest(_ duration: Duration) async {
        await withTaskGroup { group in
            group.addTask { await self.store.outboxSignal.wait() }
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
        underway.withLock { _ = $0[row.message.queue]?.remove(row.number) }
        store.outboxSignal.wake()
    }

    private func postpone(_ row: OutboxRow, _ error: any Error) async {
        let failures = row.attempts + 1
        store.logger.warning(
            "outbox.delivery.failed", "delivering an outbox message failed; it will be retried",
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
                    "outbox.record.failed", "recording a delivered outbox message failed",
                    fields: [.topic: .text(row.message.topic), .detail: .error(error)])
                if Task.isCancelled { return }
                // Cancelled in its sleep, it tries once more and leaves.
                try? await time.sleep(for: Self.storeRetry)
            }
        }
    }
}
