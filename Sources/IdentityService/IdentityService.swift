import Contracts
import Cryptography
package import Logging
package import Metrics
package import RPC
package import ServiceRuntime
package import Storage

/// The identity service over one store: its handlers, and the work beside them.
package struct IdentityService: Sendable {
    /// `postern.identity.v1.Accounts`.
    let accounts: AccountsHandler
    /// `postern.identity.v1.Credentials`.
    let credentials: CredentialsHandler
    /// `postern.identity.v1.AccountNotices`.
    let accountNotices: AccountNoticesHandler
    /// `postern.identity.v1.EmailChanges`, and `postern.gateway.v1.Emails`.
    let emailChanges: EmailChangesHandler
    /// `postern.gateway.v1.ProviderNotices`, of which it receives the notices.
    let providerEvents: ProviderEventsHandler
    /// `postern.identity.v1.Imports`.
    package let imports: ImportsHandler
    /// `postern.gateway.v1.Admin`.
    let accountAdmin: AccountAdminHandler
    /// `postern.identity.v1.Identities`, the nonces of `postern.gateway.v1.Providers`, and list and
    /// removal of `postern.gateway.v1.SignInMethods`.
    let identities: IdentitiesHandler
    /// `postern.identity.v1.PhoneCodes`.
    let phoneCodes: PhoneCodesHandler
    /// `postern.identity.v1.PhoneSignals`.
    let phoneSignals: PhoneSignalsHandler
    /// `postern.gateway.v1.SignInOptions`.
    let signInOptions: SignInOptionsHandler
    /// `postern.gateway.v1.Profile`.
    let profiles: ProfileHandler
    /// The files of photos and exports.
    package let blobs: BlobFolder
    /// `postern.gateway.v1.AccountDeletion`, and `postern.identity.v1.AccountDeletions`.
    let deletions: AccountDeletionsHandler
    /// What remains of deleted accounts outside of the store.
    let tombstones: Tombstones
    /// `postern.gateway.v1.Documents` and `BackendDocuments`.
    let documents: DocumentsHandler
    /// `postern.gateway.v1.Onboarding`.
    let onboarding: OnboardingHandler
    /// `postern.gateway.v1.Consents`, and `postern.identity.v1.AccountConsents`.
    let consents: ConsentsHandler
    /// `postern.gateway.v1.Guests`, but for their sign-in.
    let guestData: GuestDataHandler
    /// `postern.identity.v1.AccountExports`, and of `postern.gateway.v1.DataExports` the rest.
    let exports: AccountExportsHandler
    /// `postern.accountdata.v1.AccountData`, for calls in process. It is not among `methods`.
    package let accountData: AccountDataHandler
    /// The work beside the handlers.
    package let background: BackgroundTasks
    /// The work beside the handlers. Each task runs until cancelled.
    package let tasks: [@Sendable () async throws -> Void]
    /// Hashes passwords on its own threads.
    let passwords: PasswordHashPool

    /// The service over a store that was opened with `IdentityTables.migrations`.
    /// - Parameters:
    ///   - data: The settings for what accounts keep.
    ///   - life: The settings for the life of accounts.
    ///   - documentWriters: The keys of the setting `document-writers`.
    /// - Throws: `OutboundClient.Unavailable`, or what `PasswordHashPool` and `BlobFolder` throw.
    package init(
        settings: IdentitySettings, data dataSettings: PersonalDataSettings,
        life lifeSettings: AccountLifeSettings, store: Store, keys: IdentityKeys,
        peers: IdentityPeers, documentWriters: Reloadable<Applications> = Reloadable(.empty),
        time: any Time, randomness: any Randomness, logger: Logger, metrics: any MetricsFactory
    ) throws {
        _ = failedProfiles
        let shared = try SharedParts(
            settings: settings, data: dataSettings, life: lifeSettings, store: store, keys: keys,
            peers: peers, documentWriters: documentWriters, time: time, randomness: randomness,
            logger: logger, metrics: metrics)
        let (writer, check, answers) = (shared.writer, shared.check, shared.answers)
        let (owners, calls) = (shared.owners, shared.calls)
        passwords = shared.passwords
        accounts = AccountsHandler(
            store: store, writer: writer, passwords: check, time: time, answers: answers,
            owners: owners, calls: calls)
        credentials = CredentialsHandler(
            store: store, writer: writer, passwords: check, time: time, answers: answers,
            owners: owners)
        accountNotices = AccountNoticesHandler(store: store, writer: writer)
        emailChanges = EmailChangesHandler(
            settings: settings, store: store, writer: writer, passwords: check, time: time,
            answers: answers, owners: owners, calls: calls)
        let providers = try Providers(
            settings: settings.providers, keys: keys, time: time, randomness: randomness,
            logger: logger)
        providerEvents = ProviderEventsHandler(
            store: store, writer: writer, time: time, logger: logger, providers: providers)
        imports = ImportsHandler(
            answers: answers, passwords: passwords, responseTimeFloor: check.responseTimeFloor,
            time: time, logger: logger)
        identities = IdentitiesHandler(
            settings: settings, store: store, writer: writer, owners: owners, calls: calls,
            tokens: providers, signIn: shared.signIn, adding: shared.adding)
        settings.phone.warnOfTests(at: time.now(), logger)
        phoneCodes = PhoneCodesHandler(
            settings: settings, store: store, writer: writer, time: time, owners: owners,
            signIn: shared.signIn, adding: shared.adding)
        phoneSignals = PhoneSignalsHandler(store: store, keys: keys)
        signInOptions = SignInOptionsHandler(settings: settings)
        blobs = try BlobFolder(in: store.folder)
        let data = PersonalDataHandlers(shared, peers, blobs)
        (documents, onboarding, consents) = (data.documents, data.onboarding, data.consents)
        (guestData, profiles) = (data.guestData, data.profiles)
        (accountData, exports) = (data.accountData, data.exports)
        let life = AccountLifeHandlers(shared, peers, blobs, metrics)
        (deletions, accountAdmin) = (life.deletions, life.accountAdmin)
        tombstones = try Tombstones(
            folders: lifeSettings.tombstones.isEmpty
                ? ["\(store.folder)/\(Tombstones.folderName)"] : lifeSettings.tombstones,
            keys: keys, keptFor: lifeSettings.tombstonesKept, time: time, logger: logger)
        background = BackgroundTasks(
            beside: accounts, settings: lifeSettings, profiles: profiles, guestData: guestData,
            exports: exports.work, deletions: shared.deletions, tombstones: tombstones,
            peers: peers, apple: shared.apple, orphans: life.orphans, guests: life.unused,
            logger: logger, metrics: metrics)
        // With this type from the start, as in `WebService`.
        var tasks: [@Sendable () async throws -> Void] = [background.run]
        if let file = shared.rulesFile { tasks.append { await file.files.run(time) } }
        self.tasks = tasks
    }

    /// The rpcs of all handlers, for a server.
    package var methods: [ServiceMethods] {
        [
            AccountsDispatcher.methods(of: accounts),
            CredentialsDispatcher.methods(of: credentials),
            AccountNoticesDispatcher.methods(of: accountNotices),
            EmailChangesDispatcher.methods(of: emailChanges),
            IdentityEmailsDispatcher.methods(of: emailChanges),
            IdentityProviderNoticesDispatcher.methods(of: providerEvents),
            ImportsDispatcher.methods(of: imports),
            AdminDispatcher.methods(of: accountAdmin),
            IdentitiesDispatcher.methods(of: identities),
            IdentityProvidersDispatcher.methods(of: identities),
            IdentitySignInMethodsDispatcher.methods(of: identities),
            PhoneCodesDispatcher.methods(of: phoneCodes),
            PhoneSignalsDispatcher.methods(of: phoneSignals),
            ProfileDispatcher.methods(of: profiles),
            SignInOptionsDispatcher.methods(of: signInOptions),
            DocumentsDispatcher.methods(of: documents),
            BackendDocumentsDispatcher.methods(of: documents),
            OnboardingDispatcher.methods(of: onboarding),
            AccountConsentsDispatcher.methods(of: consents),
            IdentityConsentsDispatcher.methods(of: consents),
            IdentityGuestsDispatcher.methods(of: guestData),
            AccountDeletionsDispatcher.methods(of: deletions),
            IdentityAccountDeletionDispatcher.methods(of: deletions),
            AccountExportsDispatcher.methods(of: exports),
            IdentityDataExportsDispatcher.methods(of: exports),
        ]
    }

    /// Begins the deletion of accounts that a restored store has again. To be called before
    /// anything is served.
    /// - Throws: `SQLError`; errors of the store.
    package func replayTombstones() async throws {
        try await tombstones.replay(in: deletions.store, deletions.deletions)
    }

    /// Stops the threads for passwords and files. Call it after the tasks have ended.
    package func close() {
        passwords.close()
        blobs.close()
        tombstones.close()
    }
}

/// What several handlers have.
private struct SharedParts {
    let settings: IdentitySettings
    let dataSettings: PersonalDataSettings
    let lifeSettings: AccountLifeSettings
    let store: Store
    let writer: AccountWriter
    let time: any Time
    let logger: Logger
    let passwords: PasswordHashPool
    let check: PasswordCheck
    /// Nil without the operator's key.
    let apple: AppleEndpoint?
    /// Nil without the operator's rules.
    let rulesFile: RulesFile?
    let rules: Reloadable<DocumentRules>
    let answers: AccountAnswers
    let owners: SessionOwners
    let calls: AccountCalls
    let deletions: DeletionContext
    let guests: GuestSettlement
    let signIn: FederatedSignIn
    let adding: MethodAdding

    init(
        settings: IdentitySettings, data dataSettings: PersonalDataSettings,
        life lifeSettings: AccountLifeSettings, store: Store, keys: IdentityKeys,
        peers: IdentityPeers, documentWriters: Reloadable<Applications>, time: any Time,
        randomness: any Randomness, logger: Logger, metrics: any MetricsFactory
    ) throws {
        (self.settings, self.store, self.time, self.logger) = (settings, store, time, logger)
        (self.dataSettings, self.lifeSettings) = (dataSettings, lifeSettings)
        deletions = DeletionContext(
            keys: keys, randomness: randomness, wait: lifeSettings.deletion.wait)
        guests = GuestSettlement(
            mode: dataSettings.guestData, keys: keys, randomness: randomness,
            deletions: deletions, job: WakeSignal())
        writer = AccountWriter(
            keys: keys, randomness: randomness, guests: guests, exports: OrderedExports(),
            deletions: deletions)
        passwords = try PasswordHashPool(
            settings: settings.passwordHashing, time: time, randomness: randomness,
            metrics: metrics)
        check = PasswordCheck(
            store: store, writer: writer, passwords: passwords,
            responseTimeFloor: ResponseTimeFloor(
                store: store, passwords: passwords, time: time, logger: logger), time: time)
        apple = try settings.apple.makeEndpoint(
            for: settings.providers, time: time, logger: logger)
        rulesFile = dataSettings.rules.file.map {
            RulesFile(path: $0.path, current: $0.document, logger: logger)
        }
        rules = rulesFile?.rules ?? Reloadable(DocumentRules.standard)
        answers = AccountAnswers(
            settings: settings, store: store, writer: writer,
            facts: DocumentFacts(rules: rules, keys: keys))
        owners = SessionOwners(store: store, devices: peers.devices, sessions: peers.sessions)
        calls = AccountCalls(
            keys: keys, sessions: peers.sessions,
            backends: BackendCalls(
                writers: settings.documentWriters, audiences: settings.webOrigins,
                applications: documentWriters, time: time),
            time: time)
        signIn = FederatedSignIn(
            settings: settings, store: store, writer: writer, answers: answers,
            keepsGrants: apple != nil)
        adding = MethodAdding(
            store: store, writer: writer, keepsGrants: apple != nil,
            newcomers: settings.newcomers)
    }
}

/// The handlers of what is kept of a person.
private struct PersonalDataHandlers {
    let documents: DocumentsHandler
    let onboarding: OnboardingHandler
    let consents: ConsentsHandler
    let guestData: GuestDataHandler
    let profiles: ProfileHandler
    let accountData: AccountDataHandler
    let exports: AccountExportsHandler

    init(_ shared: SharedParts, _ peers: IdentityPeers, _ blobs: BlobFolder) {
        let (settings, time, logger) = (shared.settings, shared.time, shared.logger)
        let (store, writer, calls) = (shared.store, shared.writer, shared.calls)
        let newcomers = settings.newcomers
        documents = DocumentsHandler(
            settings: shared.dataSettings.documents, newcomers: newcomers,
            consent: settings.consent, store: store, writer: writer, time: time, calls: calls,
            rules: shared.rules, watchers: AccountWatchers())
        onboarding = OnboardingHandler(documents: documents, answers: shared.answers)
        consents = ConsentsHandler(
            settings: settings.consent, linkOrigin: settings.linkOrigin, store: store,
            writer: writer, time: time, owners: shared.owners, calls: calls, newcomers: newcomers)
        guestData = GuestDataHandler(
            documents: documents, guests: shared.guests, watchers: AccountWatchers(),
            logger: logger)
        profiles = ProfileHandler(
            settings: shared.dataSettings, store: store, writer: writer, answers: shared.answers,
            documents: documents, blobs: blobs, uploads: PhotoUploads(),
            uncommitted: UncommittedBlobs())
        accountData = AccountDataHandler(store: store, writer: writer, blobs: blobs)
        let watchers = AccountWatchers()
        let work = ExportWork(
            settings: settings, store: store, writer: writer, time: time, logger: logger,
            blobs: blobs, uncommitted: profiles.uncommitted,
            collection: ExportCollection(
                services: [
                    accountData, peers.sessionData, peers.notificationData, peers.rateLimitData,
                ], time: time),
            watchers: watchers)
        exports = AccountExportsHandler(
            store: store, writer: writer, time: time, calls: calls, owners: shared.owners,
            blobs: blobs, watchers: watchers, work: work, newcomers: newcomers)
    }
}

/// The handlers of an account's life, and what they look for.
private struct AccountLifeHandlers {
    let deletions: AccountDeletionsHandler
    let accountAdmin: AccountAdminHandler
    let orphans: OrphanRepair
    let unused: UnusedGuests

    init(
        _ shared: SharedParts, _ peers: IdentityPeers, _ blobs: BlobFolder,
        _ metrics: any MetricsFactory
    ) {
        let (settings, time, logger) = (shared.settings, shared.time, shared.logger)
        let (store, writer) = (shared.store, shared.writer)
        deletions = AccountDeletionsHandler(
            store: store, writer: writer, time: time, owners: shared.owners, calls: shared.calls,
            deletions: shared.deletions)
        orphans = OrphanRepair(
            settings: settings, store: store, writer: writer, sessionData: peers.sessionData,
            notificationData: peers.notificationData, blobs: blobs,
            findings: OrphanFindings(metrics: metrics))
        unused = UnusedGuests(
            search: UnusedGuestSearch(
                store: store, activity: peers.activity, kept: shared.lifeSettings.guestKept),
            deletions: shared.deletions, time: time, logger: logger)
        accountAdmin = AccountAdminHandler(
            settings: shared.lifeSettings, store: store, writer: writer, time: time,
            answers: shared.answers, logger: logger, deletions: shared.deletions,
            guests: unused.search, orphans: orphans)
    }
}

extension PhoneSettings {
    /// A test number's code gives access without a phone, so the log warns while any is configured.
    fileprivate func warnOfTests(at now: Timestamp, _ logger: Logger) {
        let ended = testNumbers.count { $0.endsAt <= now }
        if ended < testNumbers.count {
            logger.warning(
                "identity.phone_test_numbers.on",
                "phone test numbers are on: their codes are fixed and nothing is sent",
                fields: [
                    .setting: .text("phone-test-numbers"),
                    .count: .count(testNumbers.count - ended),
                ])
        }
        if ended > 0 {
            logger.warning(
                "identity.phone_test_numbers.expired",
                "phone test numbers have expired and are refused",
                fields: [.setting: .text("phone-test-numbers"), .count: .count(ended)])
        }
    }
}
