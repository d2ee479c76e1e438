import Logging
import Metrics
import ServiceLifecycle
import ServiceRuntime
import Storage

/// The identity service's work between calls: delivers the outbox, checks for orphans, deletes
/// expired pending addresses, flushes audit counters, and measures password schemes.
package struct BackgroundTasks: Service {
    private let responseTimeFloor: ResponseTimeFloor
    private let relay: OutboxRelay
    private let orphans: OrphanCheck
    private let sweep: PendingAddressSweep
    private let auditCounts: AuditCountFlusher

    /// The tasks over the store of `accounts`. The store's owner closes it after `run` has returned.
    /// - Parameter apple: The endpoints for exchanging codes and revoking grants; nil without the
    ///   operator's key.
    init(
        beside accounts: AccountsHandler, peers: IdentityPeers, apple: AppleEndpoint?,
        logger: Logger, metrics: any MetricsFactory
    ) {
        let (store, time, randomness) = (accounts.store, accounts.time, accounts.randomness)
        let delivery = OutboxDelivery(
            settings: accounts.settings, store: store, keys: accounts.keys, time: time,
            randomness: randomness, logger: logger, peers: peers, apple: apple)
        responseTimeFloor = accounts.responseTimeFloor
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
        async let responseTimeFloor: Void = responseTimeFloor.run()
        try await relay.run()
        await checks
        await sweeps
        await counts
        await responseTimeFloor
    }
}

/// Deletes expired claims and email changes every ten minutes. They hold personal data and can no
/// longer be used. Their accounts do not change.
struct PendingAddressSweep: Sendable {
    private static let interval: Duration = .seconds(600)
    /// Rows in one transaction. The limit keeps sign-ins from waiting for a long transaction.
    private static let atOnce: Int64 = 256

    let store: Store
    let time: any Time
    let logger: Logger

    /// Runs until the task is cancelled or a graceful shutdown begins.
    func run() async {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                await sweep()
                // Only cancellation ends the sleep early, and then the loop ends too.
                try? await time.sleep(for: Self.interval)
            }
        }
    }

    /// Deletes everything that has expired.
    func sweep() async {
        do {
            while try await store.write(
                about: [.table("email_addresses")],
                { try $0.sweepPendingAddresses(atMost: Self.atOnce) }) > 0
            {
            }
        } catch {
            logger.warning(
                "identity.pending_addresses.cleanup.failed",
                "deleting expired pending addresses failed", fields: [.detail: .error(error)])
        }
    }
}
