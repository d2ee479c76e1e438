import Hosting
import RateLimitService
import ServiceRuntime

/// `postern-rate-limit`: decides whether a call is within its limits.
@main
struct RateLimitProgram: Program {
    static let description = ProgramDescription(
        program: "postern-rate-limit", service: "postern.rate-limit", application: "rate-limit",
        summary: "Decides on rates: how often somebody may try.", port: 7403,
        callers: ["gateway", "identity", "notification", "tool"],
        callersMethods: ProgramDescription.innerCalls(at: "rate-limit"), storeConnections: 4)

    static func assemble(
        _ host: ServiceHost, _ settings: RateLimitSettings
    ) async throws -> Assembly {
        let (store, keys) = try await host.openStore(
            "ratelimit", key: "rate-limit", migrations: RateLimitTables.migrations
        ) {
            try RateLimitKeys(master: $0, randomness: host.randomness)
        } settlingCopy: {
            try await RateLimitRestore.settle($0)
        }
        let service = try await RateLimitService(
            settings: settings, store: store, keys: keys, time: host.time,
            randomness: host.randomness, logger: host.logger)
        service.report(to: host.parts)
        return Assembly(
            methods: service.methods, tasks: service.tasks, store: store,
            journals: service.journals, time: host.time, close: service.close)
    }
}
