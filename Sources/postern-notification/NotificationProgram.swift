import CallRecords
import Contracts
import Glibc
import Hosting
import NotificationService
import ServiceRuntime
import Storage

/// `postern-notification`: takes messages durably, and delivers them behind.
@main
struct NotificationProgram: Program {
    static let description = ProgramDescription(
        program: "postern-notification", service: "postern.notification",
        application: "notification",
        summary: "Takes messages durably at once, and delivers them behind.", port: 7404,
        callers: ["identity", "tool"])

    static func main() async {
        exit(
            await run(
                arguments: Array(CommandLine.arguments.dropFirst()),
                environment: ProcessEnvironment.all, time: SystemTime()))
    }

    static func assemble(
        _ host: ServiceHost, _ settings: NotificationProgramSettings
    ) async throws -> Assembly {
        let master = try host.masterKey("notification", ofStore: "notification")
        let store = try Store(
            folder: host.settings.dataFolder, name: "notification",
            migrations: NotificationService.migrations,
            acceptsClock: host.settings.acceptsClock, time: host.time, logger: host.logger)
        let keys = try NotificationKeys(master: master, randomness: host.randomness)
        let service = NotificationService(
            settings: settings.notification, store: store, keys: keys,
            route: try settings.notification.makeRoute(dataFolder: host.settings.dataFolder),
            time: host.time, randomness: host.randomness, logger: host.logger)
        let events = EventFeed(store: store, time: host.time)
        let webhooks = try WebhookService(
            settings: settings.webhooks, sources: try settings.sources(host, own: events),
            store: store, keys: keys, time: host.time, randomness: host.randomness,
            logger: host.logger)
        return Assembly(
            services: [
                NotificationsDispatcher.methods(of: service),
                EventsDispatcher.methods(of: events),
                WebhooksDispatcher.methods(of: webhooks.operations),
            ],
            workers: [
                Worker { try await service.run() },
                Worker { await webhooks.run() },
                Worker { try await ClockMarking(store: store, time: host.time).run() },
            ],
            close: { store.close() })
    }
}

/// The notification service's settings, and where the services are whose events webhooks are told.
struct NotificationProgramSettings: Settings {
    let notification: NotificationSettings
    let webhooks: WebhookSettings
    private let identity: PeerSettings
    private let session: PeerSettings
    private let rateLimit: PeerSettings

    init(reading settings: inout SettingsReader) {
        notification = NotificationSettings(reading: &settings)
        webhooks = WebhookSettings(reading: &settings)
        identity = PeerSettings(
            reading: &settings, "identity", service: "postern.identity", port: 7401)
        session = PeerSettings(
            reading: &settings, "session", service: "postern.session", port: 7402)
        rateLimit = PeerSettings(
            reading: &settings, "rate-limit", service: "postern.rate-limit", port: 7403)
    }

    /// The feeds of all services, `own` among them without a call.
    func sources(_ host: ServiceHost, own: EventFeed) throws -> [EventSource] {
        [
            EventSource(.identity, EventsClient(try host.channel(to: identity))),
            EventSource(.session, EventsClient(try host.channel(to: session))),
            EventSource(.rateLimit, EventsClient(try host.channel(to: rateLimit))),
            EventSource(.notification, own),
        ]
    }
}
