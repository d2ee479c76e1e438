import Contracts
import GatewayService
import Hosting
import ServiceRuntime

/// `postern-gateway`: the public sign-in flows. It has no store.
@main
struct GatewayProgram: Program {
    static let description = ProgramDescription(
        program: "postern-gateway", service: "postern.gateway", application: "gateway",
        summary: "The public sign-in flows, composed of the other four services.", port: 7400,
        callers: ["app", "tool"], addressAsserters: ["app", "tool"])

    static func assemble(
        _ host: ServiceHost, _ settings: GatewayProgramSettings
    ) async throws -> Assembly {
        // An unreachable rate limiter must be detected quickly.
        let limiter = LimitsClient(
            try host.channel(to: settings.rateLimit, connectTimeout: .milliseconds(250)))
        let limits = RateLimiter(
            limits: limiter, failures: settings.gateway.limiterFailures, time: host.time,
            randomness: host.randomness, logger: host.logger)
        let session = try host.channel(to: settings.session)
        let identity = try host.channel(to: settings.identity)
        let accounts = AccountsClient(identity)
        let identities = IdentitiesClient(identity)
        let service = AuthHandler(
            accounts: accounts, sessions: SessionsClient(session), limits: limits,
            sessionClock: ClockClient(session))
        let accountSessions = AccountSessionsHandler(
            accounts: accounts, identities: identities, codes: PhoneCodesClient(identity),
            sessions: SessionsClient(session), devices: DevicesClient(session), limits: limits)
        let passwords = PasswordsHandler(
            accounts: accounts, credentials: CredentialsClient(identity),
            sessions: SessionsClient(session), limits: limits)
        let phone = PhoneSignInHandler(
            codes: PhoneCodesClient(identity), sessions: SessionsClient(session), limits: limits)
        let emails = EmailsHandler(
            changes: EmailChangesClient(identity), sessions: SessionsClient(session),
            limits: limits)
        let verification = VerificationHandler(
            sessions: SessionsClient(session), ends: SessionEndsClient(session), time: host.time,
            randomness: host.randomness)
        return Assembly(
            services: [
                AuthDispatcher.methods(of: service),
                AccountSessionsDispatcher.methods(of: accountSessions),
                PasswordsDispatcher.methods(of: passwords),
                ProvidersDispatcher.methods(
                    of: ProvidersHandler(
                        identities: identities, sessions: SessionsClient(session), limits: limits)),
                GuestsDispatcher.methods(
                    of: GuestsHandler(
                        identities: identities, sessions: SessionsClient(session), limits: limits)),
                SignInMethodsDispatcher.methods(
                    of: SignInMethodsHandler(
                        identities: identities, sessions: SessionsClient(session), limits: limits)),
                PhoneSignInDispatcher.methods(of: phone),
                EmailsDispatcher.methods(of: emails),
                VerificationDispatcher.methods(of: verification),
                ProviderNoticesDispatcher.methods(
                    of: ProviderNoticesHandler(events: ProviderEventsClient(identity))),
                AdminDispatcher.methods(of: AdminHandler(accounts: AccountAdminClient(identity))),
            ],
            workers: [Worker(verification.run)])
    }
}

/// The gateway's settings and the addresses of the other services.
struct GatewayProgramSettings: Settings {
    let gateway: GatewaySettings
    let identity: PeerSettings
    let session: PeerSettings
    let rateLimit: PeerSettings

    init(reading settings: inout SettingsReader) {
        gateway = GatewaySettings(reading: &settings)
        identity = PeerSettings(
            reading: &settings, "identity", service: "postern.identity", port: 7401)
        session = PeerSettings(
            reading: &settings, "session", service: "postern.session", port: 7402)
        rateLimit = PeerSettings(
            reading: &settings, "rate-limit", service: "postern.rate-limit", port: 7403)
    }
}
