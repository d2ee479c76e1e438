import Contracts
import Hosting
import NotificationService
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
        let service = try NotificationService(
            settings: settings.notification, store: store, keys: keys,
            peers: NotificationPeers(
                identity: try host.channel(to: settings.identity),
                session: try host.channel(to: settings.session),
                rateLimit: try host.channel(to: settings.rateLimit),
                ownEvents: EventFeed(store: store, time: host.time)),
            time: host.time, randomness: host.randomness, logger: host.logger)
        return Assembly(
            methods: service.methods, tasks: service.tasks, store: store, time: host.time)
    }
}

/// The notification service's settings, and the addresses of the services whose events it reads.
struct NotificationProgramSettings: Settings {
    let notification: NotificationSettings
    let identity: PeerSettings
    let session: PeerSettings
    let rateLimit: PeerSettings

    init(reading settings: inout SettingsReader) {
        notification = NotificationSettings(reading: &settings)
        identity = PeerSettings(
            reading: &settings, "identity", service: "postern.identity", port: 7401)
        session = PeerSettings(
            reading: &settings, "session", service: "postern.session", port: 7402)
        rateLimit = PeerSettings(
            reading: &settings, "rate-limit", service: "postern.rate-limit", port: 7403)
    }
}
