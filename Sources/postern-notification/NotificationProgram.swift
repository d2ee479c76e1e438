import Hosting
import NotificationService
import ServiceRuntime

/// `postern-notification`: accepts messages durably and delivers them in the background.
@main
struct NotificationProgram: Program {
    static let description = ProgramDescription(
        program: "postern-notification", service: "postern.notification",
        application: "notification",
        summary: "Takes messages durably at once, and delivers them behind.", port: 7404,
        callers: ["identity", "tool"],
        callersMethods: ProgramDescription.innerCalls(at: "notification"))

    static func assemble(
        _ host: ServiceHost, _ settings: NotificationProgramSettings
    ) async throws -> Assembly {
        if !settings.notification.hasMailServer {
            host.warnOfDevelopment(
                "notification.mail.folder",
                "mails are written into a folder and reach no reader: set smtp-host",
                setting: "smtp-host")
        }
        let (store, keys) = try await host.openStore(
            "notification", key: "notification", migrations: NotificationStore.migrations
        ) {
            try NotificationKeys(master: $0, randomness: host.randomness)
        } settlingCopy: {
            try await NotificationRestore.settle($0)
        }
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
