import AccountLife
import Hosting
import IdentityAssembly
import IdentityService
import PersonalData
import ServiceRuntime

/// `postern-identity`: who an account is and how it proves itself.
@main
struct IdentityProgram: Program {
    static let description = ProgramDescription(
        program: "postern-identity", service: "postern.identity", application: "identity",
        summary: "Keeps accounts and their credentials, and proves sign-ins.", port: 7401,
        callers: ["gateway", "session", "notification", "tool"],
        callersMethods: ProgramDescription.innerCalls(at: "identity"))

    static func assemble(
        _ host: ServiceHost, _ settings: IdentityProgramSettings
    ) async throws -> Assembly {
        if settings.identity.hasLoopbackLinks {
            host.warnOfDevelopment(
                "identity.links.loopback",
                "links in mails lead to the reader's own machine: set link-origin",
                setting: "link-origin")
        }
        if settings.life.tombstones.isEmpty {
            host.warnOfDevelopment(
                "identity.tombstones.same-disk",
                "tombstones share the data's disk: set tombstones, or a restore can undo deletions",
                setting: "tombstones")
        }
        let signInProofs = try host.key(
            "sign-in-proof", sharedWith: "session", besideStore: "identity")
        let (store, keys) = try await host.openStore(
            "identity", key: "identity", sharing: signInProofs,
            migrations: IdentityTables.migrations
        ) {
            try IdentityKeys(
                master: $0, signInProofs: signInProofs.value, randomness: host.randomness)
        } settlingCopy: {
            try await IdentityRestore.settle($0, settings.life.deletion)
        }
        let backends = try host.tokenSigners(settings.identity.backends)
        let service = try IdentityAssembly(
            settings: settings.identity, data: settings.data, life: settings.life, store: store,
            keys: keys,
            peers: IdentityPeers(
                session: try host.channel(to: settings.session),
                notification: try host.channel(to: settings.notification),
                rateLimit: try host.channel(to: settings.rateLimit)),
            backends: backends.applications, time: host.time,
            randomness: host.randomness, logger: host.logger,
            metrics: host.metrics)
        try await service.replayTombstones()
        try await service.reportUnusablePasskeys(host.logger)
        try await service.reportAccountsWithPasswordAlone(host.logger)
        return Assembly(
            methods: service.methods, tasks: service.tasks, store: store, blobs: service.blobs,
            watched: backends.watched, time: host.time, close: service.close)
    }
}

/// Identity's settings, and where the services are that it calls.
struct IdentityProgramSettings: Settings {
    let identity: IdentitySettings
    let data: PersonalDataSettings
    let life: AccountLifeSettings
    let session: PeerSettings
    let notification: PeerSettings
    let rateLimit: PeerSettings

    init(reading settings: inout SettingsReader) {
        identity = IdentitySettings(reading: &settings)
        data = PersonalDataSettings(reading: &settings)
        life = AccountLifeSettings(reading: &settings)
        session = PeerSettings(
            reading: &settings, "session", service: "postern.session", port: 7402)
        notification = PeerSettings(
            reading: &settings, "notification", service: "postern.notification", port: 7404)
        rateLimit = PeerSettings(
            reading: &settings, "rate-limit", service: "postern.rate-limit", port: 7403)
    }
}
