import Contracts
package import Logging
import Places
package import RPC
package import ServiceRuntime

/// The gateway: its handlers, and the work beside them. It has no store.
package struct GatewayService: Sendable {
    /// `postern.gateway.v1.Auth`.
    let auth: AuthHandler
    /// `postern.gateway.v1.AccountSessions`.
    let accountSessions: AccountSessionsHandler
    /// `postern.gateway.v1.Passwords`.
    let passwords: PasswordsHandler
    /// `postern.gateway.v1.Providers`.
    let providers: ProvidersHandler
    /// `postern.gateway.v1.Guests`.
    let guests: GuestsHandler
    /// `postern.gateway.v1.SignInMethods`.
    let signInMethods: SignInMethodsHandler
    /// `postern.gateway.v1.PhoneSignIn`.
    let phoneSignIn: PhoneSignInHandler
    /// `postern.gateway.v1.SignInChallenges`.
    let signInChallenges: SignInChallengesHandler
    /// `postern.gateway.v1.SecondFactors`.
    let secondFactors: SecondFactorsHandler
    /// `postern.gateway.v1.Passkeys`.
    let passkeys: PasskeysHandler
    /// `postern.gateway.v1.Emails`.
    let emails: EmailsHandler
    /// `postern.gateway.v1.Consents`.
    let consents: ConsentsHandler
    /// `postern.gateway.v1.DataExports`.
    let dataExports: DataExportsHandler
    /// `postern.gateway.v1.AccountDeletion`.
    let accountDeletion: AccountDeletionHandler
    /// `postern.gateway.v1.BackendAccounts`.
    let backendAccounts: BackendAccountsHandler
    /// `postern.gateway.v1.Verification`.
    let verification: VerificationHandler
    /// `postern.gateway.v1.ProviderNotices`.
    let providerNotices: ProviderNoticesHandler
    /// The rpcs of all public services, for a server.
    package private(set) var methods: [ServiceMethods] = []
    /// The place file, if there is one.
    private let placeFile: FollowedFiles<FileStamp?>?
    /// What else would do, in the errors of sign-ins.
    let alternatives: KnownAlternatives
    private let time: any Time

    /// The gateway in front of `peers`.
    /// - Throws: `Relay.Mistake`.
    package init(
        settings: GatewaySettings, peers: GatewayPeers, time: any Time,
        randomness: any Randomness, logger: Logger
    ) throws {
        let limits = RateLimiter(
            limits: peers.limits, failures: settings.limiterFailures,
            signals: peers.identity.signals, time: time, randomness: randomness, logger: logger)
        let (identity, session) = (peers.identity, peers.session)
        let tokens = TokenAccounts(sessions: session.sessions, time: time)
        auth = AuthHandler(
            accounts: identity.accounts, credentials: identity.credentials,
            sessions: session.sessions, limits: limits, tokens: tokens,
            sessionClock: session.clock)
        accountSessions = AccountSessionsHandler(
            accounts: identity.accounts, identities: identity.identities,
            codes: identity.phoneCodes, secondProofs: identity.secondProofs, tokens: tokens,
            devices: session.devices, limits: limits)
        passwords = PasswordsHandler(
            accounts: identity.accounts, credentials: identity.credentials,
            sessions: session.sessions, tokens: tokens, limits: limits)
        providers = ProvidersHandler(
            identities: identity.identities, sessions: session.sessions, limits: limits)
        guests = GuestsHandler(
            identities: identity.identities, sessions: session.sessions, limits: limits)
        signInMethods = SignInMethodsHandler(
            identities: identity.identities, credentials: identity.credentials, tokens: tokens,
            limits: limits)
        phoneSignIn = PhoneSignInHandler(
            codes: identity.phoneCodes, sessions: session.sessions, tokens: tokens, limits: limits)
        signInChallenges = SignInChallengesHandler(
            proofs: identity.secondProofs, sessions: session.sessions, limits: limits)
        secondFactors = SecondFactorsHandler(
            proofs: identity.secondProofs, devices: session.devices, tokens: tokens,
            limits: limits)
        passkeys = PasskeysHandler(
            identities: identity.identities, sessions: session.sessions, limits: limits)
        emails = EmailsHandler(
            changes: identity.emailChanges, credentials: identity.credentials, tokens: tokens,
            limits: limits)
        consents = ConsentsHandler(
            consents: identity.consents, tokens: tokens, limits: limits)
        dataExports = DataExportsHandler(
            exports: identity.exports, existing: DataExportsClient(identity.relayed.calls),
            tokens: tokens, limits: limits)
        accountDeletion = AccountDeletionHandler(
            deletions: identity.deletions, limits: limits)
        backendAccounts = BackendAccountsHandler(accounts: identity.managed, limits: limits)
        verification = VerificationHandler(
            ends: session.ends, tokens: tokens, time: time, randomness: randomness)
        alternatives = KnownAlternatives(SignInOptionsClient(identity.relayed.calls), time: time)
        providerNotices = ProviderNoticesHandler(alternatives: alternatives)
        let origins = CallOrigins(places: settings.places)
        placeFile = settings.places.followed(logger)
        self.time = time
        let relay = Relay(
            owners: [.identity: identity.relayed, .session: session.relayed], tokens: tokens,
            limits: limits)
        methods = try relay.completing(
            alternatives.completing(
                composed, auth: auth, passwords: passwords, providers: providers,
                phoneSignIn: phoneSignIn, passkeys: passkeys, guests: guests)
        ).map { $0.preparing { origins.prepare(&$0) } }
    }

    /// The rpcs that need more than one service.
    private var composed: [ServiceMethods] {
        [
            AuthDispatcher.methods(of: auth),
            AccountSessionsDispatcher.methods(of: accountSessions),
            PasswordsDispatcher.methods(of: passwords),
            ProvidersDispatcher.methods(of: providers),
            GuestsDispatcher.methods(of: guests),
            SignInMethodsDispatcher.methods(of: signInMethods),
            PhoneSignInDispatcher.methods(of: phoneSignIn),
            SignInChallengesDispatcher.methods(of: signInChallenges),
            SecondFactorsDispatcher.methods(of: secondFactors),
            PasskeysDispatcher.methods(of: passkeys),
            EmailsDispatcher.methods(of: emails),
            ConsentsDispatcher.methods(of: consents),
            DataExportsDispatcher.methods(of: dataExports),
            AccountDeletionDispatcher.methods(of: accountDeletion),
            BackendAccountsDispatcher.methods(of: backendAccounts),
            VerificationDispatcher.methods(of: verification),
            ProviderNoticesDispatcher.methods(of: providerNotices),
        ]
    }

    /// The work beside the handlers. Each task runs until cancelled.
    package var tasks: [@Sendable () async throws -> Void] {
        var tasks: [@Sendable () async throws -> Void] = [verification.run, alternatives.run]
        if let placeFile {
            tasks.append { [time] in await placeFile.run(time) }
        }
        return tasks
    }
}
