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
        callersMethods: ProgramDescription.notificationReadsEventsAndReportsNumbers)

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
        let apple = try settings.apple.makeEndpoint(
            for: settings.providers, time: host.time, logger: host.logger)
        let (settings, time, randomness) = (settings.identity, host.time, host.randomness)
        let slots = ResponseTimeFloor(
            store: store, passwords: passwords, time: time, logger: host.logger)
        let devices = DevicesClient(session)
        let identities = IdentitiesHandler(
            settings: settings, store: store, keys: keys, randomness: randomness,
            keepsGrants: apple != nil, devices: devices, providers: providers)
        let phoneCodes = PhoneCodesHandler(
            settings: settings, store: store, keys: keys, time: time, randomness: randomness,
            logger: host.logger, keepsGrants: apple != nil, devices: devices)
        let providerEvents = ProviderEventsHandler(
            store: store, keys: keys, time: time, randomness: randomness, logger: host.logger,
            providers: providers)
        let imports = ImportsHandler(
            settings: settings, store: store, keys: keys, passwords: passwords, slots: slots,
            time: time, randomness: randomness, logger: host.logger)
        let admin = AccountAdminHandler(
            settings: settings, store: store, keys: keys, randomness: randomness,
            logger: host.logger, activity: AccountActivityClient(session))
        let accounts = AccountsHandler(
            settings: settings, store: store, keys: keys, passwords: passwords, slots: slots,
            time: time, randomness: randomness, devices: devices)
        let credentials = CredentialsHandler(
            settings: settings, store: store, keys: keys, passwords: passwords, slots: slots,
            time: time, randomness: randomness)
        let emailChanges = EmailChangesHandler(
            settings: settings, store: store, keys: keys, passwords: passwords, slots: slots,
            time: time, randomness: randomness, devices: devices)
        let tasks = BackgroundTasks(
            store: store, slots: slots, time: time, randomness: randomness, logger: host.logger,
            metrics: host.metrics,
            delivery: OutboxDelivery(
                settings: settings, store: store, keys: keys, time: time, randomness: randomness,
                logger: host.logger,
                peers: OutboxPeers(
                    notifications: NotificationsClient(notification),
                    texts: TextMessagesClient(notification),
                    pushDevices: PushDevicesClient(notification),
                    sessions: SessionsClient(session),
                    relays: RelayAddressesClient(notification)),
                apple: apple))
        return Assembly(
            services: [
                AccountsDispatcher.methods(of: accounts),
                CredentialsDispatcher.methods(of: credentials),
                AccountNoticesDispatcher.methods(
                    of: AccountNoticesHandler(store: store, keys: keys, randomness: randomness)),
                EmailChangesDispatcher.methods(of: emailChanges),
                ProviderEventsDispatcher.methods(of: providerEvents),
                ImportsDispatcher.methods(of: imports),
                AccountAdminDispatcher.methods(of: admin),
                IdentitiesDispatcher.methods(of: identities),
                PhoneCodesDispatcher.methods(of: phoneCodes),
                PhoneSignalsDispatcher.methods(of: PhoneSignalsHandler(store: store, keys: keys)),
                EventsDispatcher.methods(of: EventFeed(store: store, time: time)),
                ClockDispatcher.methods(of: StoreClock(store, time: time)),
            ],
            workers: [
                Worker { try await tasks.run() },
                Worker { try await ClockMarking(store: store, time: time).run() },
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
