import Logging
import ServiceLifecycle
package import ServiceRuntime
import Synchronization

/// Delivers the outbox's messages to their receivers, at least once, right after the commit that
/// wrote them. One relay for each store.
///
/// A message is deleted only after `deliver` has returned. After a crash in between it is delivered
/// again under the same key. Failed deliveries are retried without limit; when a message should be
/// given up, its topic's code decides that and returns normally.
package final class OutboxRelay: Service {
    /// How long to wait after the store failed to answer.
    static let storeRetry: Duration = .seconds(1)
    /// The longest wait between two reads. Each message has its own due time, so this is only a
    /// safety net.
    static let restMax: Duration = .seconds(60)

    /// The wait after a message's first failed attempt.
    static let firstBackoff: Duration = .milliseconds(100)
    /// The wait after the eleventh and all later ones.
    static let longestBackoff: Duration = .seconds(60)

    /// A row of the outbox.
    struct Row: Sendable {
        let number: Int64
        let attempts: Int64
        let message: OutboxMessage
    }

    private let store: Store
    private let time: any Time
    private let randomness: any Randomness
    private let queues: [OutboxQueue]
    private let deliver: @Sendable (OutboxMessage) async throws -> Void
    /// The rows of the messages being delivered, by queue.
    private let underway = Mutex<[OutboxQueue: Set<Int64>]>([:])

    /// A relay of the outbox in `store`. `deliver` sets its own timeout, and throws to have the
    /// message retried.
    /// - Parameter queues: All queues that the store's program writes to.
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

    /// Runs until cancelled or shut down; then cancels deliveries in progress and waits for them.
    /// - Throws: nothing; `Service` requires the signature.
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

    /// Starts every delivery that is due and has a slot.
    /// - Returns: how long to wait when no signal comes.
    private func startDue(_ deliveries: inout DiscardingTaskGroup) async -> Duration {
        let busy = underway.withLock { $0 }
        let free = queues.filter { busy[$0, default: []].count < $0.deliveriesMax }
        guard !free.isEmpty else { return Self.restMax }
        let now = time.now()
        do {
            let (found, next) = try await store.read { session in
                (
                    try free.map { queue in
                        // Rows being delivered are still due and come first.
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

    /// Returns at the next wake-up signal, or after `duration`.
    private func rest(_ duration: Duration) async {
        await withTaskGroup { group in
            group.addTask { await self.store.outboxSignal.wait() }
            // Only cancellation ends the sleep early, and then the group ends too.
            group.addTask { try? await self.time.sleep(for: duration) }
            await group.next()
            group.cancelAll()
        }
    }

    private func handOver(_ row: Row) async {
        do {
            try await deliver(row.message)
            await record(row) { try $0.removeOutboxMessage(row.number) }
        } catch {
            // A shutdown is not a failure of the message; it is delivered after the next start.
            if !Task.isCancelled { await postpone(row, error) }
        }
        underway.withLock { _ = $0[row.message.queue]?.remove(row.number) }
        store.outboxSignal.wake()
    }

    private func postpone(_ row: Row, _ error: any Error) async {
        let failures = row.attempts + 1
        store.logger.warning(
            "outbox.delivery.failed", "delivering an outbox message failed; it will be retried",
            fields: [
                .topic: .text(row.message.topic), .row: .integer(row.number),
                .attempt: .integer(failures),
                .detail: .error(error),
            ])
        let wait = Self.backoff(failures: failures, random: randomness.integer())
        let due = time.now() + wait
        await record(row) { try $0.postponeOutboxMessage(row.number, until: due) }
    }

    /// Records the outcome of a delivery and retries until that succeeds: a delivered message that
    /// stays in the outbox would be delivered again and again while the disk is full.
    private func record(
        _ row: Row, _ change: @escaping @Sendable (Transaction) throws -> Void
    ) async {
        while true {
            do {
                return try await store.write(about: [.row("outbox", row.number)], change)
            } catch {
                store.logger.warning(
                    "outbox.record.failed", "recording a delivered outbox message failed",
                    fields: [.topic: .text(row.message.topic), .detail: .error(error)])
                if Task.isCancelled { return }
                // When the sleep is cancelled, it tries once more and returns.
                try? await time.sleep(for: Self.storeRetry)
            }
        }
    }

    /// The wait after `failures` failed attempts (from 1), with jitter from a random number.
    static func backoff(failures: Int64, random: UInt64) -> Duration {
        Backoff.wait(
            failures: Int(clamping: failures), first: firstBackoff, most: longestBackoff,
            random: random)
    }
}
