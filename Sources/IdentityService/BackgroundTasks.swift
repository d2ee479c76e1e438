import Contracts
import Logging
import Metrics
import ServiceLifecycle
import ServiceRuntime
import Storage

/// The identity service's work between calls: delivers the outbox, performs the duties of its
/// store, and measures password schemes.
package struct BackgroundTasks: Service {
    private let responseTimeFloor: ResponseTimeFloor
    private let relay: OutboxRelay
    private let duties: Duties

    /// The tasks over the store of `accounts`. The store's owner closes it after `run` has returned.
    /// - Parameter apple: The endpoints for exchanging codes and revoking grants; nil without the
    ///   operator's key.
    init(
        beside accounts: AccountsHandler, profiles: AccountProfilesHandler,
        consents: AccountConsentsHandler, peers: IdentityPeers, apple: AppleEndpoint?,
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
        let orphans = OrphanCheck(store: store, logger: logger, metrics: metrics)
        let elsewhere = OrphansElsewhere(
            holders: [
                .init(name: "session", data: peers.sessionData, kinds: [.session, .lastSeen]),
                .init(name: "notification", data: peers.notificationData, kinds: [.pushDevice]),
            ], store: store, time: time, logger: logger, metrics: metrics)
        let photos = PhotoSweep(
            store: store, blobs: profiles.blobs, uploads: profiles.uploads, logger: logger)
        let parents = ParentalConsentExpiry(
            store: store, time: time, deletions: consents.deletions)
        duties = Duties(
            of: store, purging: IdentityTables.purges,
            [orphans.duty, elsewhere.duty, photos.duty, parents.duty], time: time)
    }

    /// Runs until the task is cancelled or a graceful shutdown begins.
    /// - Throws: as `OutboxRelay.run`.
    package func run() async throws {
        async let duties: Void = duties.run()
        async let responseTimeFloor: Void = responseTimeFloor.run()
        try await relay.run()
        await duties
        await responseTimeFloor
    }
}
