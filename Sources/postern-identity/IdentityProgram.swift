import Contracts
import Cryptography
import Hosting
import IdentityService
import ServiceRuntime
import Storage

/// `postern-identity`: who an account is and how it proves itself.
@main
struct IdentityProgram: Program {
    static let description = ProgramDescription(
        program: "postern-identity", service: "postern.identity", application: "identity",
        summary: "Keeps accounts and their credentials, and proves sign-ins.", port: 7401,
        callers: ["gateway", "session", "notification", "tool"],
        callersMethods: ProgramDescription.notificationReadsEventsAndTellsOfNumbers)

    static func assemble(
        _ host: ServiceHost, _ settings: IdentityProgramSettings
    ) async throws -> Assembly {
        let master = try host.masterKey("identity", ofStore: "identity")
        let store = try Store(
            folder: host.settings.dataFolder, name: "identity",
            migrations: IdentityTables.migrations,
            acceptsClock: host.settings.acceptsClock, time: host.time, logger: host.logger)
        let keys = try IdentityKeys(
            master: master, signInProofs: try host.key("sign-in-proof"),
            randomness: host.randomness)
        store.report(to: host.parts)
        try await store.requireKey(
            check: ServiceHost.storeCheck(of: master), file: host.keyFile("identity")
        ) { try keys.openOldest(in: $0, limit: $1) }
        let passwords = try PasswordHashPool(
            settings: settings.identity.passwordHashing, time: host.time,
            randomness: host.randomness, metrics: host.metrics)
        let notification = try host.channel(to: settings.notification)
        let session = try host.channel(to: settings.session)
        let providers = try Providers(
            settings: settings.providers, keys: keys, time: host.time,
            randomness: host.randomness, logger: host.logger)
        let service = IdentityService(
            settings: settings.identity, store: store, keys: keys,
            passwords: passwords,
            notifications: NotificationsClient(notification),
            texts: TextMessagesClient(notification), pushDevices: PushDevicesClient(notification),
            sessions: SessionsClient(session), devices: DevicesClient(session), time: host.time,
            randomness: host.randomness, logger: host.logger, metrics: host.metrics,
            apple: try settings.apple.makeEndpoint(
                for: settings.providers, time: host.time, logger: host.logger),
            relays: RelayAddressesClient(notification))
        return Assembly(
            services: [
                AccountsDispatcher.methods(of: service),
                CredentialsDispatcher.methods(of: service),
                AccountNoticesDispatcher.methods(of: service),
                EmailChangesDispatcher.methods(of: EmailChanges(of: service)),
                ProviderEventsDispatcher.methods(
                    of: ProviderEvents(of: service, providers: providers)),
                ImportsDispatcher.methods(of: Imports(beside: service)),
                AccountAdminDispatcher.methods(
                    of: AccountAdmin(of: service, activity: AccountActivityClient(session))),
                IdentitiesDispatcher.methods(
                    of: Identities(of: service, providers: providers)),
                PhoneCodesDispatcher.methods(of: PhoneCodes(of: service)),
                PhoneSignalsDispatcher.methods(of: PhoneSignals(of: service)),
                EventsDispatcher.methods(of: EventFeed(store: store, time: host.time)),
                ClockDispatcher.methods(of: StoreClock(store, time: host.time)),
            ],
            workers: [
                Worker { try await service.run() },
                Worker { try await ClockMarking(store: store, time: host.time).run() },
            ],
            close: {
                passwords.close()
                store.close()
            })
    }
}

/// Identity's settings, and where the services are that it calls.
struct IdentityProgramSettings: Settings {
    let identity: IdentitySettings
    let providers: ProvidersSettings
    let apple: AppleSettings
    let session: PeerSettings
    let notification: PeerSettings

    init(reading settings: inout SettingsReader) {
        identity = IdentitySettings(reading: &settings)
        providers = ProvidersSettings(reading: &settings)
        apple = AppleSettings(reading: &settings)
        settings.require(
            apple.redirects.clients.isSubset(of: providers.appleClients),
            ["apple-redirect-uris"], "apple-redirect-uris names an app that apple-audiences lacks")
        session = PeerSettings(
            reading: &settings, "session", service: "postern.session", port: 7402)
        notification = PeerSettings(
            reading: &settings, "notification", service: "postern.notification", port: 7404)
    }
}
