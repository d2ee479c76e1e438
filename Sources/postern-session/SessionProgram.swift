import Contracts
import Hosting
import ServiceRuntime
import SessionService

/// `postern-session`: sessions, refresh tokens and signing keys.
@main
struct SessionProgram: Program {
    static let description = ProgramDescription(
        program: "postern-session", service: "postern.session", application: "session",
        summary: "Opens, rotates, validates and ends sessions.", port: 7402,
        callers: ["gateway", "identity", "notification", "tool"],
        callersMethods: ProgramDescription.innerCalls(at: "session"))

    static func assemble(
        _ host: ServiceHost, _ settings: SessionProgramSettings
    ) async throws -> Assembly {
        let signInProofs = try host.key(
            "sign-in-proof", sharedWith: "identity", besideStore: "session")
        let (store, keys) = try await host.openStore(
            "session", key: "session", sharing: signInProofs,
            migrations: SessionTables.migrations
        ) {
            try SessionKeys(
                master: $0, signInProofs: signInProofs.value, randomness: host.randomness)
        } settlingCopy: {
            try await SessionRestore.settle($0, randomness: host.randomness)
        }
        let service = try await SessionService(
            settings: settings.session, store: store, keys: keys,
            notices: AccountNoticesClient(try host.channel(to: settings.identity)),
            time: host.time, randomness: host.randomness, logger: host.logger)
        return Assembly(
            methods: service.methods, tasks: service.tasks, store: store, time: host.time,
            close: service.close)
    }
}

/// The settings of the session service, and of its connection to identity, which notifies owners.
struct SessionProgramSettings: Settings {
    let session: SessionSettings
    let identity: PeerSettings

    init(reading settings: inout SettingsReader) {
        session = SessionSettings(reading: &settings)
        identity = PeerSettings(
            reading: &settings, "identity", service: "postern.identity", port: 7401)
    }
}
