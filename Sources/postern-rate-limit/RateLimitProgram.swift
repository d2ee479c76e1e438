import Contracts
import Cryptography
import Hosting
import RateLimitService
import ServiceRuntime
import Storage

/// `postern-rate-limit`: decides whether a call is within its limits.
@main
struct RateLimitProgram: Program {
    static let description = ProgramDescription(
        program: "postern-rate-limit", service: "postern.rate-limit", application: "rate-limit",
        summary: "Decides on rates: how often somebody may try.", port: 7403,
        callers: ["gateway", "notification", "tool"],
        callersMethods: ProgramDescription.notificationReadsEvents)

    static func assemble(
        _ host: ServiceHost, _ settings: RateLimitSettings
    ) async throws -> Assembly {
        let master = try host.masterKey("rate-limit", ofStore: "ratelimit")
        let store = try Store(
            folder: host.settings.dataFolder, name: "ratelimit",
            migrations: RateLimitService.migrations,
            acceptsClock: host.settings.acceptsClock, time: host.time, logger: host.logger)
        let keys = try RateLimitKeys(master: master, randomness: host.randomness)
        store.report(to: host.parts)
        try await store.requireKey(
            check: ServiceHost.storeCheck(of: master), file: host.keyFile("rate-limit")
        ) { try keys.openOldest(in: $0, limit: $1) }
        let service = try await RateLimitService(
            settings: settings, store: store, keys: keys, time: host.time,
            randomness: host.randomness, logger: host.logger)
        service.report(to: host.parts)
        return Assembly(
            methods: service.methods, tasks: service.tasks, store: store, time: host.time,
            close: service.close)
    }
}
