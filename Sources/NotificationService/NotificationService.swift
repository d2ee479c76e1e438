import Contracts
package import Logging
import Metrics
package import RPC
package import ServiceRuntime
package import Storage

/// The notification service over one store: its handlers, and the work beside them.
package struct NotificationService: Sendable {
    /// `postern.notification.v1.Notifications`.
    package let notifications: NotificationsHandler
    /// `postern.notification.v1.TextMessages`.
    let texts: TextMessagesHandler
    /// `postern.notification.v1.PushMessages`.
    let pushes: PushMessagesHandler
    /// `postern.notification.v1.PushDevices`.
    let pushDevices: PushDevicesHandler
    /// `postern.notification.v1.Addresses`.
    let addresses: AddressesHandler
    /// `postern.notification.v1.RelayAddresses`.
    let relayAddresses: RelayAddressesHandler
    /// `postern.notification.v1.Outbox`.
    let outbox: OutboxHandler
    /// `postern.accountdata.v1.AccountData`.
    var accountData: AccountDataHandler { outbox.accountData }
    /// `postern.notification.v1.Webhooks`.
    let webhooks: WebhooksHandler
    /// Delivers messages.
    package let delivery: BackgroundDelivery
    private let webhookWorker: WebhookWorker
    private let numberChanges: NumberChangeRelay
    private let duties: Duties

    /// The service over a store that was opened with `NotificationStore.migrations`. Mails go to an
    /// inbox in the store's folder while no server is configured.
    /// - Throws: `OutboundClient.Unavailable`, `MaildirInbox.FileError`.
    package init(
        settings: NotificationSettings, store: Store, keys: NotificationKeys,
        peers: NotificationPeers, time: any Time, randomness: any Randomness, logger: Logger
    ) throws {
        delivery = BackgroundDelivery(
            settings: settings, holder: .onlyProcess, store: store, keys: keys,
            routes: try settings.makeRoutes(store, keys, time, logger), time: time,
            randomness: randomness, logger: logger)
        webhookWorker = try WebhookWorker(
            settings: settings.webhooks, sources: peers.eventSources, store: store, keys: keys,
            time: time, randomness: randomness, logger: logger)
        numberChanges = NumberChangeRelay(
            store: store, keys: keys, identity: peers.phoneSignals, time: time,
            randomness: randomness, logger: logger)
        let endedSessions = EndedSessionDevices(
            sessions: peers.sessionEvents, store: store, keys: keys, time: time)
        duties = Duties(
            of: store,
            purging: NotificationStore.purges(endedMessagesFor: settings.messageRetention),
            [
                endedSessions.duty, delivery.log.duty,
                NotificationStore.forgettingEvents(in: store),
                OutboxMetrics(of: store, in: MetricsSystem.factory).duty,
            ], time: time)
        let acceptance = MessageAcceptance(
            settings: settings, store: store, keys: keys, delivery: delivery, time: time,
            randomness: randomness, logger: logger)
        notifications = NotificationsHandler(acceptance: acceptance)
        texts = TextMessagesHandler(acceptance: acceptance)
        pushes = PushMessagesHandler(
            store: store, keys: keys, acceptance: acceptance)
        pushDevices = PushDevicesHandler(
            settings: settings, store: store, keys: keys, randomness: randomness)
        addresses = AddressesHandler(store: store, keys: keys, time: time)
        relayAddresses = RelayAddressesHandler(store: store, keys: keys)
        outbox = OutboxHandler(
            store: store, keys: keys, acceptance: acceptance, delivery: delivery, time: time)
        webhooks = WebhooksHandler(
            settings: settings.webhooks, store: store, keys: keys, worker: webhookWorker,
            randomness: randomness)
    }

    /// The rpcs of all handlers, for a server.
    package var methods: [ServiceMethods] {
        [
            NotificationsDispatcher.methods(of: notifications),
            TextMessagesDispatcher.methods(of: texts),
            PushMessagesDispatcher.methods(of: pushes),
            PushDevicesDispatcher.methods(of: pushDevices),
            AddressesDispatcher.methods(of: addresses),
            RelayAddressesDispatcher.methods(of: relayAddresses),
            OutboxDispatcher.methods(of: outbox),
            AccountDataDispatcher.methods(of: accountData),
            WebhooksDispatcher.methods(of: webhooks),
        ]
    }

    /// The work beside the handlers. Each task runs until cancelled.
    package var tasks: [@Sendable () async throws -> Void] {
        [delivery.run, webhookWorker.run, numberChanges.run, duties.run]
    }
}
