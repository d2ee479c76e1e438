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
    /// `postern.identity.v1.PhoneSignals`.
    let phoneSignals: PhoneSignalsHandler
    /// `postern.identity.v1.SignInSignals`.
    let signInSignals: SignInSignalsHandler
    /// `postern.gateway.v1.SignInOptions`.
    let signInOptions: SignInOptionsHandler
    /// `postern.gateway.v1.Consents`, and `postern.identity.v1.AccountConsents`.
    let consents: ConsentsHandler
    /// `postern.gateway.v1.AccountSessions`, of which it lists the activity.
    let activity: ActivityHandler
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
    ///   - documentWriters: The keys of the setting `document-writers`.
    /// - Throws: `OutboundClient.Unavailable`, or what `PasswordHashPool` throws.
    package init(
        settings: IdentitySettings, store: Store, writer: AccountWriter,
        facts: any AccountFactsSource, peers: IdentityPeers,
        documentWriters: Reloadable<Applications>, time: any Time, logger: Logger,
        metrics: any MetricsFactory
    ) throws {
        _ = failedProfiles
        passwords = try PasswordHashPool(
            settings: settings.passwordHashing, time: time, randomness: writer.randomness,
            metrics: metrics)
        responseTimeFloor = ResponseTimeFloor(
            store: store, passwords: passwords, time: time, logger: logger)
        let check = PasswordCheck(
            store: store, writer: writer, passwords: passwords,
            responseTimeFloor: responseTimeFloor, time: time)
        answers = AccountAnswers(settings: settings, store: store, writer: writer, facts: facts)
        owners = SessionOwners(store: store, devices: peers.devices, sessions: peers.sessions)
        calls = AccountCalls(
            keys: writer.keys, sessions: peers.sessions,
            backends: BackendCalls(
                writers: settings.documentWriters, audiences: settings.webOrigins,
                applications: documentWriters, time: time),
            time: time)
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
        let apple = try settings.apple.makeEndpoint(
            for: settings.providers, time: time, logger: logger)
        let providers = try Providers(
            settings: settings.providers, keys: writer.keys, time: time,
            randomness: writer.randomness, logger: logger)
        providerEvents = ProviderEventsHandler(
            store: store, writer: writer, time: time, logger: logger, providers: providers)
        let signIn = FederatedSignIn(
            settings: settings, store: store, writer: writer, answers: answers,
            keepsGrants: apple != nil)
        let adding = MethodAdding(
            store: store, writer: writer, keepsGrants: apple != nil,
            newcomers: settings.newcomers)
        identities = IdentitiesHandler(
            settings: settings, store: store, writer: writer, owners: owners, calls: calls,
            tokens: providers, signIn: signIn, adding: adding)
        phoneCodes = PhoneCodesHandler(
            settings: settings, store: store, writer: writer, time: time, owners: owners,
            signIn: signIn, adding: adding)
        settings.phone.warnOfTests(at: time.now(), logger)
        phoneSignals = PhoneSignalsHandler(store: store, keys: writer.keys)
        signInSignals = SignInSignalsHandler(store: store, keys: writer.keys)
        activity = ActivityHandler(
            calls: calls, owners: owners,
            history: ActivityHistory(
                store: store, sessions: peers.sessionEvents, keys: writer.keys))
        signInOptions = SignInOptionsHandler(settings: settings)
        consents = ConsentsHandler(
            settings: settings.consent, linkOrigin: settings.linkOrigin, store: store,
            writer: writer, time: time, owners: owners, calls: calls,
            newcomers: settings.newcomers)
        delivery = OutboxDelivery(
            settings: settings, store: store, writer: writer, time: time, logger: logger,
            peers: peers, apple: apple)
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
            PhoneSignalsDispatcher.methods(of: phoneSignals),
            SignInSignalsDispatcher.methods(of: signInSignals),
            SignInOptionsDispatcher.methods(of: signInOptions),
            AccountConsentsDispatcher.methods(of: consents),
            IdentityConsentsDispatcher.methods(of: consents),
            IdentityAccountSessionsDispatcher.methods(of: activity),
        ]
    }

    /// Its duties. They run side by side.
    package var duties: [Duty] {
        [ParentalConsentExpiry(store: store, time: time, deletions: writer.deletions).duty]
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
        Purge("notices", inOrderOf: "notice", expiry: "mailed_at_ms", after: NoticeRule.window),
    ]

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
