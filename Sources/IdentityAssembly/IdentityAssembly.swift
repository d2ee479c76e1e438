package import AccountLife
import Contracts
package import IdentityService
package import Logging
package import Metrics
package import PersonalData
package import RPC
package import ServiceRuntime
package import Storage

/// Identity's service over one store: what it puts together of who may sign in, of what accounts
/// keep and of their life, and the work beside the handlers.
package struct IdentityAssembly: Sendable {
    /// Who may sign in.
    let core: IdentityService
    /// What accounts keep.
    let data: PersonalData
    /// The life of accounts.
    package let life: AccountLife
    /// The blobs of photos and exports.
    package let blobs: any BlobStore
    /// The work beside the handlers.
    package let background: BackgroundTasks
    /// The work beside the handlers. Each task runs until cancelled.
    package let tasks: [@Sendable () async throws -> Void]

    /// The service over a store that was opened with `IdentityTables.migrations`.
    /// - Parameters:
    ///   - data: The settings for what accounts keep.
    ///   - life: The settings for the life of accounts.
    ///   - backends: The keys of the backends that settings name (`IdentitySettings.backends`).
    ///   - gate: What asks for a second proof of a sign-in; another one for tests.
    /// - Throws: `OutboundClient.Unavailable`, `OSThread.NotStarted`, or what `PasswordHashPool`,
    ///   `Store.openBlobs` and `Tombstones` throw.
    package init(
        settings: IdentitySettings, data dataSettings: PersonalDataSettings,
        life lifeSettings: AccountLifeSettings, store: Store, keys: IdentityKeys,
        peers: IdentityPeers, backends: Reloadable<Applications> = Reloadable(.empty),
        gate: SignInGate = .standard, time: any Time, randomness: any Randomness, logger: Logger,
        metrics: any MetricsFactory
    ) throws {
        let rulesFile = dataSettings.rules.file.map {
            RulesFile(path: $0.path, current: $0.document, logger: logger)
        }
        let rules = rulesFile?.rules ?? Reloadable(DocumentRules.standard)
        let deletions = DeletionContext(
            keys: keys, randomness: randomness, wait: lifeSettings.deletion.wait)
        let guests = GuestSettlement(
            mode: dataSettings.guestData, keys: keys, randomness: randomness,
            deletions: deletions, job: WakeSignal())
        core = try IdentityService(
            settings: settings, store: store,
            writer: AccountWriter(
                keys: keys, randomness: randomness, guests: guests, exports: OrderedExports(),
                deletions: deletions, gate: gate, settings: settings),
            facts: DocumentFacts(rules: rules, keys: keys), peers: peers,
            backends: backends, time: time, logger: logger, metrics: metrics)
        blobs = try store.openBlobs(time: time)
        life = try AccountLife(
            settings: lifeSettings, core: core, deletions: deletions, peers: peers, blobs: blobs,
            logger: logger, metrics: metrics)
        data = PersonalData(
            settings: dataSettings, core: core, rules: rules, guests: guests, blobs: blobs,
            services: [
                life.accountData, peers.sessionData, peers.notificationData, peers.rateLimitData,
            ], logger: logger)
        background = BackgroundTasks(core, data, life)
        // With this type from the start, as in `WebService`.
        var tasks: [@Sendable () async throws -> Void] = [background.run]
        if let rulesFile { tasks.append { await rulesFile.files.run(time) } }
        if let file = core.breachedPasswords { tasks.append { await file.run(time) } }
        self.tasks = tasks
    }

    /// The rpcs of all handlers, for a server.
    package var methods: [ServiceMethods] { core.methods + data.methods + life.methods }

    /// Begins the deletion of accounts that a restored store has again. To be called before
    /// anything is served.
    /// - Throws: `SQLError`; errors of the store.
    package func replayTombstones() async throws { try await life.replayTombstones() }

    /// As `IdentityService.reportUnusablePasskeys`.
    /// - Throws: `SQLError`; errors of the store.
    package func reportUnusablePasskeys(_ logger: Logger) async throws {
        try await core.reportUnusablePasskeys(logger)
    }

    /// As `IdentityService.reportAccountsWithPasswordAlone`.
    /// - Throws: `SQLError`; errors of the store.
    package func reportAccountsWithPasswordAlone(_ logger: Logger) async throws {
        try await core.reportAccountsWithPasswordAlone(logger)
    }

    /// Stops the threads for passwords and files. Call it after the tasks have ended.
    package func close() {
        core.close()
        blobs.close()
        life.close()
    }
}
