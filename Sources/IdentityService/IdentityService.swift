import Contracts
package import Cryptography
package import Logging
package import Metrics
package import RPC
package import ServiceRuntime
package import Storage

/// Who may sign in: accounts, their credentials and what they have agreed to. It makes the handlers
/// of this, and what handlers of other data of accounts share with them.
package struct IdentityService: Sendable {
    /// `postern.identity.v1.Accounts`, and of `postern.gateway.v1.Auth` what describes links.
    let accounts: AccountsHandler
    /// `postern.identity.v1.Credentials`.
    let credentials: CredentialsHandler
    /// `postern.identity.v1.AccountNotices`.
    let accountNotices: AccountNoticesHandler
    /// `postern.identity.v1.EmailChanges`, and `postern.gateway.v1.Emails`.
    let emailChanges: EmailChangesHandler
    /// `postern.gateway.v1.ProviderNotices`, of which it receives the notices.
    let providerEvents: ProviderEventsHandler
    /// `postern.identity.v1.Identities`, the nonces of `postern.gateway.v1.Providers`, and list and
    /// removal of `postern.gateway.v1.SignInMethods`.
    let identities: IdentitiesHandler
    /// `postern.identity.v1.PhoneCodes`.
    let phoneCodes: PhoneCodesHandler
    /// `postern.identity.v1.SecondProofs`.
    let secondProofs: SecondProofsHandler
    /// `postern.gateway.v1.SecondFactors`.
    let secondFactors: SecondFactorsHandler
    /// `postern.gateway.v1.Passkeys`.
    let passkeys: PasskeysHandler
    /// `postern.identity.v1.PhoneSignals`.
    let phoneSignals: PhoneSignalsHandler
    /// `postern.identity.v1.SignInSignals`.
    let signInSignals: SignInSignalsHandler
    /// `postern.gateway.v1.SignInOptions`.
    let signInOptions: SignInOptionsHandler
    /// `postern.gateway.v1.Consents`, and `postern.identity.v1.AccountConsents`.
    let consents: ConsentsHandler
    /// `postern.gateway.v1.BackendPush`.
    let backendPush: BackendPushHandler
    /// `postern.gateway.v1.BackendAccounts`, and `postern.identity.v1.ManagedAccounts`.
    let backendAccounts: BackendAccountsHandler
    /// `postern.gateway.v1.AccountSessions`, of which it lists the activity.
    let activity: ActivityHandler
    /// `postern.gateway.v1.PushRegistrations`.
    let pushRegistrations: PushRegistrationsHandler
    /// Makes the accounts of answers.
    package let answers: AccountAnswers
    /// Finds the owners of sessions.
    package let owners: SessionOwners
    /// Makes the frames of calls.
    package let calls: AccountCalls
    /// Hashes passwords on its own threads.
    package let passwords: PasswordHashPool
    /// Gives failed sign-ins the time of others.
    package let responseTimeFloor: ResponseTimeFloor
    /// Delivers the outbox.
    package let delivery: OutboxDelivery
    /// The file of leaked passwords, to be opened again when it is replaced; nil without one.
    package let breachedPasswords: FollowedFiles<FileStamp?>?

    /// Asks when accounts were last used.
    package let accountActivity: AccountActivityReader

    /// The settings of sign-ins.
    package var settings: IdentitySettings { answers.settings }
    /// The store of all three modules.
    package var store: Store { answers.store }
    /// What flows write accounts with.
    package var writer: AccountWriter { answers.writer }
    /// What happened with accounts.
    package var history: ActivityHistory { activity.history }
    /// The clock.
    package var time: any Time { accounts.time }

    /// - Parameters:
    ///   - facts: What rules and documents say about accounts.
    ///   - backends: The keys of the setting `backends`.
    /// - Throws: `OutboundClient.Unavailable`, `OSThread.NotStarted`, or what `PasswordHashPool` and
    ///   `BackendRule` throw.
    package init(
        settings: IdentitySettings, store: Store, writer: AccountWriter,
        facts: any AccountFactsSource, peers: IdentityPeers,
        backends: Reloadable<Applications>, time: any Time, logger: Logger,
        metrics: any MetricsFactory
    ) throws {
        _ = failedProfiles
        let parts = try SharedParts(
            settings, store, writer, facts, peers, backends, time, logger, metrics)
        (answers, owners, calls) = (parts.answers, parts.owners, parts.calls)
        (passwords, responseTimeFloor) = (parts.check.passwords, parts.check.responseTimeFloor)
        breachedPasswords = parts.check.breached?.followed(metrics)
        accountActivity = AccountActivityReader(peers.activity, time: time, logger: logger)
        accounts = AccountsHandler(
            store: store, writer: writer, passwords: parts.check, time: time, answers: answers,
            owners: owners, calls: calls)
        credentials = CredentialsHandler(
            store: store, writer: writer, passwords: parts.check, time: time, answers: answers,
            owners: owners)
        accountNotices = AccountNoticesHandler(store: store, writer: writer)
        emailChanges = EmailChangesHandler(
            settings: settings, store: store, writer: writer, passwords: parts.check, time: time,
            answers: answers, owners: owners, calls: calls)
        providerEvents = ProviderEventsHandler(
            settings: settings, store: store, writer: writer, time: time, logger: logger,
            providers: parts.providers)
        identities = IdentitiesHandler(
            settings: settings, store: store, writer: writer, owners: owners, calls: calls,
            tokens: parts.providers, passkeys: parts.passkeys, signIn: parts.signIn,
            adding: parts.adding)
        phoneCodes = PhoneCodesHandler(
            settings: settings, store: store, writer: writer, time: time, owners: owners,
            signIn: parts.signIn, adding: parts.adding)
        secondProofs = SecondProofsHandler(
            store: store, writer: writer, time: time, owners: owners, passwords: parts.check,
            tokens: parts.providers, passkeys: parts.passkeys, signIn: parts.signIn)
        secondFactors = SecondFactorsHandler(
            settings: settings, store: store, writer: writer, time: time, owners: owners,
            calls: calls)
        passkeys = PasskeysHandler(
            check: parts.passkeys, owners: owners, calls: calls, secondProofs: secondProofs)
        settings.phone.warnOfTests(at: time.now(), logger)
        settings.warnOfFormerNames(logger)
        phoneSignals = PhoneSignalsHandler(store: store, writer: writer)
        signInSignals = SignInSignalsHandler(store: store, writer: writer)
        activity = ActivityHandler(
            calls: calls, owners: owners, history: Self.history(store, peers, writer))
        pushRegistrations = PushRegistrationsHandler(
            store: store, writer: writer, time: time, owners: owners, calls: calls,
            pushDevices: peers.pushDevices)
        signInOptions = SignInOptionsHandler(settings: settings, breached: parts.check.breached)
        consents = ConsentsHandler(
            settings: settings.consent, linkOrigin: settings.linkOrigin, store: store,
            writer: writer, time: time, owners: owners, calls: calls,
            newcomers: settings.newcomers)
        backendPush = BackendPushHandler(store: store, calls: calls, pushes: peers.pushes)
        backendAccounts = BackendAccountsHandler(
            store: store, passwords: parts.check, time: time, answers: answers, calls: calls)
        delivery = OutboxDelivery(
            settings: settings, store: store, writer: writer, time: time, logger: logger,
            peers: peers, endpoints: parts.grantEndpoints)
    }

    private static func history(
        _ store: Store, _ peers: IdentityPeers, _ writer: AccountWriter
    ) -> ActivityHistory {
        ActivityHistory(store: store, sessions: peers.sessionEvents, keys: writer.keys)
    }

    /// The rpcs of its handlers, for a server.
    package var methods: [ServiceMethods] {
        [
            AccountsDispatcher.methods(of: accounts),
            IdentityAuthDispatcher.methods(of: accounts),
            CredentialsDispatcher.methods(of: credentials),
            AccountNoticesDispatcher.methods(of: accountNotices),
            EmailChangesDispatcher.methods(of: emailChanges),
            IdentityEmailsDispatcher.methods(of: emailChanges),
            IdentityProviderNoticesDispatcher.methods(of: providerEvents),
            IdentitiesDispatcher.methods(of: identities),
            IdentityProvidersDispatcher.methods(of: identities),
            IdentitySignInMethodsDispatcher.methods(of: identities),
            PhoneCodesDispatcher.methods(of: phoneCodes),
            SecondProofsDispatcher.methods(of: secondProofs),
            IdentitySecondFactorsDispatcher.methods(of: secondFactors),
            IdentityPasskeysDispatcher.methods(of: passkeys),
            PhoneSignalsDispatcher.methods(of: phoneSignals),
            SignInSignalsDispatcher.methods(of: signInSignals),
            SignInOptionsDispatcher.methods(of: signInOptions),
            AccountConsentsDispatcher.methods(of: consents),
            IdentityConsentsDispatcher.methods(of: consents),
            IdentityAccountSessionsDispatcher.methods(of: activity),
            PushRegistrationsDispatcher.methods(of: pushRegistrations),
            BackendPushDispatcher.methods(of: backendPush),
            IdentityBackendAccountsDispatcher.methods(of: backendAccounts),
            ManagedAccountsDispatcher.methods(of: backendAccounts),
        ]
    }

    /// Its duties. They run side by side.
    package var duties: [Duty] {
        [
            ParentalConsentExpiry(store: store, time: time, deletions: writer.deletions).duty,
            UnsentClaims(store: store, writer: writer, time: time, logger: delivery.logger).duty,
        ]
    }

    /// Its tables whose rows expire. Claims and email changes hold personal data. Their accounts do
    /// not change.
    package static let purges = [
        Purge("links", key: "link", expiry: "expires_at_ms"),
        Purge("email_changes", key: "account", expiry: "expires_at_ms"),
        Purge("claims", key: "account", expiry: "expires_at_ms"),
        Purge(
            "phone_codes", key: "code", expiry: "expires_at_ms", after: StoredPhoneCode.retention),
        Purge(
            "sign_in_challenges", key: "challenge", expiry: "expires_at_ms",
            after: ChallengeRule.retention),
        Purge(
            "number_changes", key: "change", expiry: "told_at_ms",
            after: NumberChangeRule.retention),
        Purge("underage_devices", key: "number", expiry: "expires_at_ms"),
        Purge("used_nonces", key: "nonce", expiry: "expires_at_ms"),
        Purge("provider_notices", key: "notice", expiry: "expires_at_ms"),
        NewcomerBytes.purge,
        Purge("guesses", key: "charge", expiry: "expires_at_ms"),
        Purge(
            "unrequested_mails", inOrderOf: "mail", expiry: "mailed_at_ms",
            after: UnrequestedMailRule.window),
        Purge("notices", inOrderOf: "notice", expiry: "mailed_at_ms", after: NoticeRule.retention),
    ]

    /// Says at the start how many passkeys no longer work: they belong to another domain than that
    /// of the settings.
    /// - Throws: `SQLError`; errors of the store.
    package func reportUnusablePasskeys(_ logger: Logger) async throws {
        let id = settings.passkeys.id
        let count = try await store.read { try $0.passkeysOfOthers(than: id) }
        guard count > 0 else { return }
        logger.warning(
            "identity.passkeys.unusable",
            "passkeys belong to another domain than passkey-rp-id, and do not work",
            fields: [.setting: .text("passkey-rp-id"), .count: .count(count)])
    }

    /// Stops the threads for passwords.
    package func close() { passwords.close() }
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
