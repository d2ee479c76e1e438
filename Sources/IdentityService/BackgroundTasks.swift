package import Logging
package import Metrics
import ServiceLifecycle
package import ServiceRuntime
package import Storage

/// The identity service's work between calls: delivers the outbox, checks for orphans, deletes
/// expired pending addresses, flushes audit counters, and measures password schemes.
package struct BackgroundTasks: Service {
    private let slots: ResponseTimeFloor
    private let relay: OutboxRelay
    private let orphans: OrphanCheck
    private let sweep: PendingAddressSweep
    private let auditCounts: AuditCountFlusher

    /// The tasks over a store that was opened with `IdentityTables.migrations`. The store's owner
    /// closes it after `run` has returned.
    package init(
        store: Store, slots: ResponseTimeFloor, time: any Time, randomness: any Randomness,
        logger: Logger, metrics: any MetricsFactory, delivery: OutboxDelivery
    ) {
        self.slots = slots
        relay = OutboxRelay(
            store: store, time: time, randomness: randomness, queues: OutboxTopic.queues,
            deliver: { try await delivery.deliver($0) })
        orphans = OrphanCheck(store: store, time: time, logger: logger, metrics: metrics)
        sweep = PendingAddressSweep(store: store, time: time, logger: logger)
        auditCounts = AuditCountFlusher(store: store, time: time)
    }

    /// Runs until the task is cancelled or a graceful shutdown begins.
    /// - Throws: as `OutboxRelay.run`.
    package func run() async throws {
        async let checks: Void = orphans.run()
        async let sweeps: Void = sweep.run()
        async let counts: Void = auditCounts.run()
        async let slots: Void = slots.run()
        try await relay.run()
        await checks
        await sweeps
        await counts
        await slots
    }
}
