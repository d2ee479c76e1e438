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
        _ host: ServiceHost, _ settings: NotificationSettings
    ) async throws -> Assembly {
        let master = try host.masterKey("notification", ofStore: "notification")
        let store = try Store(
            folder: host.settings.dataFolder, name: "notification",
            migrations: NotificationService.migrations,
            acceptsClock: host.settings.acceptsClock, time: host.time, logger: host.logger)
        let service = NotificationService(
            settings: settings, store: store,
            keys: try NotificationKeys(
                master: master, randomness: host.randomness),
            routes: try settings.makeRoutes(dataFolder: host.settings.dataFolder),
            time: host.time, randomness: host.randomness, logger: host.logger)
        return Assembly(
            services: [
                NotificationsDispatcher.methods(of: service),
                OutboxDispatcher.methods(of: service.outbox),
            ],
            workers: [
                Worker { try await service.run() },
                Worker { try await ClockMarking(store: store, time: host.time).run() },
            ],
            close: { store.close() })
    }
}
