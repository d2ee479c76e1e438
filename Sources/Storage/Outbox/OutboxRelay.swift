import Logging
import ServiceLifecycle
package import ServiceRuntime
import Synchronization

/// Delivers the outbox's messages to their receivers, at least once, right after the commit that
/// wrote them. One relay for each open store; several instances may share a database.
///
/// An instance may deliver a message only while it is the message's holder:
///
///     written ──▶ held ── due, first of its key ───▶ underway ── delivered ──▶ deleted
///                 ▲  ▲                                 │  │ ▲
///                 │  └─ failed: due later ─────────────┘  └─┘ lease renewed
///                 └─ claimed ─── overdue ◀── lease over
///
/// - *Held*: by the instance that wrote or claimed it. The lease ends `lease` after the message is
///   due, also when the attempt is one after a failure. The holder starts without a further write.
/// - *Underway*: the holder delivers it, and renews a lease that ends soon: a delivery may last
///   longer than the lease. It is deleted only after `deliver` has returned.
/// - *Overdue*: the lease is over, because the holder has stopped or has no slot for the message.
///   Any instance, also the former holder, may claim it, by an update of which only one succeeds.
///
/// Only the holder records an outcome. A holder that has lost its lease, as in a machine that was
/// suspended, may deliver beside the new one; the receiver recognises the key. So it is after
/// a crash between delivery and deletion. Opening a store in a file ends all leases, so after a
/// restart no message waits for one.
///
/// Failed deliveries are retried without limit; when a message should be given up, its topic's code
/// decides that and returns normally.
package final class OutboxRelay: Service {
    /// How long after a message is due only its holder may deliver it: the delay of a message whose
    /// holder has stopped. Longer than most deliveries, so that a renewal is rare.
    static let lease: Duration = .seconds(10)
    /// A lease is renewed once this or less is left of it: more than `restMax` and a slow commit.
    static let renewal: Duration = .seconds(5)
    /// How long to wait after the store failed to answer.
    static let storeRetry: Duration = .seconds(1)
    /// The longest wait between two reads. Only the commits of this instance wake it; leases end,
    /// and ordering keys become free elsewhere, without a signal.
    static let restMax: Duration = .seconds(2)

    /// The wait after a message's first failed attempt.
    static let firstBackoff: Duration = .milliseconds(100)
    /// The wait after the eleventh and all later ones.
    static let longestBackoff: Duration = .seconds(60)

    /// A row of the outbox.
    struct Row: Sendable {
        let number: Int64
        let attempts: Int64
        let message: OutboxMessage
        /// The instance that may deliver it (`Store.instance`).
        var holder: Int64
        /// From then on any instance may claim it.
        var leasedUntil: Timestamp
    }

    private let store: Store
    private let time: any Time
    private let randomness: any Randomness
    private let queues: [OutboxQueue]
    private let deliver: @Sendable (OutboxMessage) async throws -> Void
    /// The rows of the messages being delivered, by queue and number.
    private let underway = Mutex<[OutboxQueue: [Int64: Row]]>([:])

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
                    await self.store.outboxSignal.wait(atMost: rest, time: self.time)
                }
            }
        }
    }

    /// Starts every delivery that is due and has a slot, and renews leases that end soon.
    /// - Returns: how long to wait when no signal comes.
    private func startDue(_ deliveries: inout DiscardingTaskGroup) async -> Duration {
        do {
            let (due, rest) = try await findDue()
            // Asked once for each message: as time passes, both answers could be given for one.
            let byNeed = Dictionary(grouping: due, by: needsClaim)
            start(byNeed[false] ?? [], &deliveries)
            start(try await claim(byNeed[true] ?? []), &deliveries)
            try await renewLeases()
            return rest
        } catch {
            if Task.isCancelled { return .zero }
            store.logger.warning(
                "outbox.read.failed", "reading the outbox, or claiming its messages, failed",
                fields: [.detail: .error(error)])
            return Self.storeRetry
        }
    }

    /// The messages that are due and have a slot, and how long to wait when no signal comes.
    private func findDue() async throws -> (due: [Row], rest: Duration) {
        let busy = underway.withLock { $0 }
        let free = queues.filter { busy[$0, default: [:]].count < $0.deliveriesMax }
        let (now, instance) = (time.now(), store.instance)
        let (found, next, waitsSince) = try await store.read { session in
            (
                try free.map { queue in
                    // Rows being delivered are still due and come first.
                    let limit = queue.deliveriesMax + busy[queue, default: [:]].count
                    return try session.dueOutboxMessages(
                        queue, for: instance, at: now, limit: limit)
                },
                try free.compactMap { try session.nextOutboxMoment($0, after: now) }.min(),
                try session.oldestOutboxMessage()
            )
        }
        // Also while no slot is free: when a peer hangs, the age is what an operator looks at.
        store.metrics.setOldestMessage(age: waitsSince.map { max(now - $0, .zero) } ?? .zero)
        let due = zip(free, found).flatMap { queue, rows in
            let busy = busy[queue, default: [:]]
            let waiting = rows.filter { busy[$0.number] == nil }
            return waiting.prefix(queue.deliveriesMax - busy.count)
        }
        return (due, min(next.map { $0 - time.now() } ?? Self.restMax, Self.restMax))
    }

    private func start(_ rows: [Row], _ deliveries: inout DiscardingTaskGroup) {
        for row in rows {
            underway.withLock { $0[row.message.queue, default: [:]][row.number] = row }
            deliveries.addTask { await self.handOver(row) }
        }
    }

    /// Whether the lease must be taken or renewed before the message can be delivered under it.
    private func needsClaim(_ row: Row) -> Bool {
        row.holder != store.instance || row.leasedUntil - time.now() < Self.renewal
    }

    /// Takes or renews the leases of these messages.
    /// - Returns: those that no other instance has claimed meanwhile, with their new leases.
    private func claim(_ rows: [Row]) async throws -> [Row] {
        guard !rows.isEmpty else { return [] }
        return try await store.write(about: rows.map { .row("outbox", $0.number) }) { transaction in
            try rows.compactMap { try transaction.claimOutboxMessage($0) }
        }
    }

    /// Renews the leases that end soon, of the messages being delivered. If another instance has
    /// claimed a message, its delivery here continues, but the outcome is not recorded.
    private func renewLeases() async throws {
        let ending = underway.withLock { $0.values.flatMap(\.values) }.filter(needsClaim)
        for row in try await claim(ending) {
            // Its delivery may have ended meanwhile.
            underway.withLock { underway in
                guard underway[row.message.queue]?[row.number] != nil else { return }
                underway[row.message.queue]?[row.number] = row
            }
        }
    }

    private func handOver(_ row: Row) async {
        do {
            try await deliver(row.message)
            await record(row) { try $0.removeOutboxMessage(row) }
        } catch {
            // A shutdown is not a failure of the message; it is delivered after the next start, or
            // by another instance once its lease is over.
            if !Task.isCancelled { await postpone(row, error) }
        }
        underway.withLock { _ = $0[row.message.queue]?.removeValue(forKey: row.number) }
        store.outboxSignal.wake()
    }

    private func postpone(_ row: Row, _ error: any Error) async {
        let failures = row.attempts + 1
        // While a peer is away, thousands of messages are tried again each minute.
        if failures.isLoggedFailure {
            store.logger.warning(
                "outbox.delivery.failed", "delivering an outbox message failed; it will be retried",
                fields: [
                    .topic: .text(row.message.topic), .row: .integer(row.number),
                    .attempt: .integer(failures), .detail: .error(error),
                ])
        }
        let wait = Self.backoff(failures: failures, random: randomness.integer())
        let due = time.now() + wait
        await record(row) { try $0.postponeOutboxMessage(row, until: due) }
    }

    /// Records the outcome of a delivery and retries until that succeeds: a delivered message that
    /// stays in the outbox would be delivered again and again while the disk is full.
    private func record(
        _ row: Row, _ change: @escaping @Sendable (Transaction) throws -> Void
    ) async {
        while true {
            do {
                return try await store.write(
                    about: [.row("outbox", row.number)], evenIfCancelled: true, change)
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
