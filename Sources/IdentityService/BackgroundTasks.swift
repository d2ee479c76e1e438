import Contracts
import Logging
import Metrics
import ServiceLifecycle
import ServiceRuntime
import Storage

/// The identity service's work between calls: delivers the outbox, performs the duties of its
/// store, carries out deletions, and measures password schemes.
package struct BackgroundTasks: Service {
    private let responseTimeFloor: ResponseTimeFloor
    private let relay: OutboxRelay
    private let duties: Duties
    /// Carries out the deletions of accounts.
    let deletionWork: DeletionWork

    /// The tasks over the store of `accounts`. The store's owner closes it after `run` has
    /// returned.
    /// - Parameters:
    ///   - apple: The endpoints for exchanging codes and revoking grants; nil without the
    ///     operator's key.
    ///   - orphans: Repairs what the checks find.
    ///   - guests: Deletes unused guests.
    init(
        beside accounts: AccountsHandler, settings: AccountLifeSettings, profiles: ProfileHandler,
        guestData: GuestDataHandler, exports: ExportWork, deletions: DeletionContext,
        tombstones: Tombstones, peers: IdentityPeers, apple: AppleEndpoint?,
        orphans: OrphanRepair, guests: UnusedGuests, logger: Logger,
        metrics: any MetricsFactory
    ) {
        let (store, time) = (accounts.store, accounts.time)
        let delivery = OutboxDelivery(
            settings: accounts.settings, store: store, writer: accounts.writer, time: time,
            logger: logger, peers: peers, apple: apple)
        responseTimeFloor = accounts.passwords.responseTimeFloor
        relay = OutboxRelay(
            store: store, time: time, randomness: accounts.randomness, queues: OutboxTopic.queues,
            deliver: { try await delivery.deliver($0) })
        let findings = orphans.findings
        let check = OrphanCheck(
            store: store, time: time, logger: logger, findings: findings, repair: orphans)
        let elsewhere = OrphansElsewhere(
            holders: [
                .init(service: .session, data: peers.sessionData),
                .init(service: .notification, data: peers.notificationData),
            ], store: store, time: time, logger: logger, findings: findings)
        let blobs = BlobSweep(
            store: store, blobs: profiles.blobs, uncommitted: profiles.uncommitted,
            findings: findings, time: time, logger: logger)
        let importedIDs = ImportedIDPurge(
            store: store, retention: settings.importedIDRetention, time: time)
        deletionWork = DeletionWork(
            DeletionSteps(
                settings: accounts.settings, awaitsBackend: settings.deletion.awaitsBackend,
                store: store, writer: accounts.writer, deletions: deletions, peers: peers,
                tombstones: tombstones, blobs: profiles.blobs, grants: delivery.grants, time: time,
                logger: logger),
            metrics: metrics)
        let parents = ParentalConsentExpiry(store: store, time: time, deletions: deletions)
        let overdue = DeletionCheck(
            store: store, settings: settings.deletion, time: time, logger: logger,
            metrics: metrics)
        duties = Duties(
            of: store, purging: IdentityTables.purges,
            [
                check.duty, elsewhere.duty, blobs.duty, exports.duty, guests.duty,
                parents.duty, guestData.job.duty, deletionWork.log.duty, overdue.duty,
                importedIDs.duty, tombstones.duty,
            ], time: time)
    }

    /// Runs until the task is cancelled or a graceful shutdown begins.
    /// - Throws: as `OutboxRelay.run`.
    package func run() async throws {
        async let duties: Void = duties.run()
        async let responseTimeFloor: Void = responseTimeFloor.run()
        async let deletions: Void = deletionWork.run()
        try await relay.run()
        await duties
        await responseTimeFloor
        await deletions
    }
}
