import Contracts
import Hosting
import NotificationService
import RPC
import ServiceRuntime
import Storage

/// `postern-notification`: accepts messages durably and delivers them in the background.
@main
struct NotificationProgram: Program {
    static let description = ProgramDescription(
        program: "postern-notification", service: "postern.notification",
        application: "notification",
        summary: "Takes messages durably at once, and delivers them behind.", port: 7404,
        callers: ["identity", "tool"])

    static func assemble(
        _ host: ServiceHost, _ settings: NotificationProgramSettings
    ) async throws -> Assembly {
        let master = try host.masterKey("notification", ofStore: "notification")
        let store = try Store(
            folder: host.settings.dataFolder, name: "notification",
            migrations: NotificationStore.migrations,
            acceptsClock: host.settings.acceptsClock, time: host.time, logger: host.logger)
        let keys = try NotificationKeys(master: master, randomness: host.randomness)
        store.report(to: host.parts)
        try await store.requireKey(
            check: ServiceHost.storeCheck(of: master), file: host.keyFile("notification")
        ) { try keys.openOldest(in: $0, limit: $1) }
        let delivery = BackgroundDelivery(
            settings: settings.notification, store: store, keys: keys,
            routes: try routes(host, settings.notification, store, keys),
            time: host.time, randomness: host.randomness, logger: host.logger)
        let events = EventFeed(store: store, time: host.time)
        let session = try settings.sessionEvents(host)
        let webhooks = try WebhookWorker(
            settings: settings.webhooks,
            sources: try settings.sources(host, session: session, own: events),
            store: store, keys: keys, time: host.time, randomness: host.randomness,
            logger: host.logger)
        let changes = NumberChangeRelay(
            store: store, keys: keys, identity: try settings.signals(host), time: host.time,
            randomness: host.randomness, logger: host.logger)
        let ended = EndedSessionDevices(
            sessions: session, store: store, keys: keys, time: host.time, logger: host.logger)
        return Assembly(
            services: messageServices(host, settings.notification, delivery, store, keys)
                + [
                    EventsDispatcher.methods(of: events),
                    WebhooksDispatcher.methods(
                        of: WebhooksHandler(
                            settings: settings.webhooks, store: store, keys: keys,
                            worker: webhooks, randomness: host.randomness)),
                    ClockDispatcher.methods(of: StoreClock(store, time: host.time)),
                ],
            workers: [
                Worker { await delivery.run() },
                Worker { await webhooks.run() },
                Worker { try await changes.run() },
                Worker { await ended.run() },
                Worker { try await ClockMarking(store: store, time: host.time).run() },
            ],
            close: { store.close() })
    }

    /// The services of messages, their recipients and their devices.
    private static func messageServices(
        _ host: ServiceHost, _ settings: NotificationSettings, _ delivery: BackgroundDelivery,
        _ store: Store, _ keys: NotificationKeys
    ) -> [ServiceMethods] {
        let acceptance = MessageAcceptance(
            settings: settings, store: store, keys: keys, delivery: delivery, time: host.time,
            randomness: host.randomness, logger: host.logger)
        return [
            NotificationsDispatcher.methods(of: NotificationsHandler(acceptance: acceptance)),
            TextMessagesDispatcher.methods(of: TextMessagesHandler(acceptance: acceptance)),
            PushMessagesDispatcher.methods(
                of: PushMessagesHandler(store: store, keys: keys, acceptance: acceptance)),
            PushDevicesDispatcher.methods(
                of: PushDevicesHandler(
                    settings: settings, store: store, keys: keys, randomness: host.randomness)),
            AddressesDispatcher.methods(
                of: AddressesHandler(store: store, keys: keys, time: host.time)),
            RelayAddressesDispatcher.methods(of: RelayAddressesHandler(store: store, keys: keys)),
            OutboxDispatcher.methods(
                of: OutboxHandler(
                    store: store, keys: keys, delivery: delivery, time: host.time)),
        ]
    }

    private static func routes(
        _ host: ServiceHost, _ settings: NotificationSettings, _ store: Store,
        _ keys: NotificationKeys
    ) throws -> [Channel: any MessageRoute] {
        let folder = host.settings.dataFolder
        let client = try settings.makeProviderClient()
        return try settings.makeRoutes(
            dataFolder: folder, store: store, keys: keys, time: host.time, logger: host.logger
        ).merging(
            try settings.makeSMSAndPushRoutes(
                dataFolder: folder, client: client, store: store, keys: keys, time: host.time,
                logger: host.logger)
        ) { own, _ in own }
    }
}
