import Contracts
import Cryptography
import GatewayService
import Messages
import RPC
import ServiceRuntime
import TestSupport

/// A gateway's public services in front of a `GatewayFixture`'s inner services, which it calls as
/// over a wire. It is another instance than the one of `GatewayFixture`, as after a crash, or one
/// that loses a call. A new service of the gateway must be added here.
struct RepeatFixture: Sendable {
    let auth: AuthHandler
    let passwords: PasswordsHandler
    let accountSessions: AccountSessionsHandler
    let providers: ProvidersHandler
    let guests: GuestsHandler
    let methods: SignInMethodsHandler
    let phone: PhoneSignInHandler
    let emails: EmailsHandler
    private let wire: InnerWire

    /// - Parameter cut: The call that is lost; nil for none.
    init(_ fixture: GatewayFixture, cut: InnerWire.Cut? = nil) throws {
        let wire = InnerWire(fixture.inner, cut: cut)
        self.wire = wire
        let settings: GatewaySettings = try SettingsLoader.settings()
        let limits = RateLimiter(
            limits: LimitsClient(wire), failures: settings.limiterFailures, time: fixture.time,
            randomness: SecureRandomness(), logger: fixture.log.logger(time: fixture.time))
        let (accounts, identities) = (AccountsClient(wire), IdentitiesClient(wire))
        let (codes, sessions) = (PhoneCodesClient(wire), SessionsClient(wire))
        auth = AuthHandler(
            accounts: accounts, sessions: sessions, limits: limits,
            sessionClock: fixture.inner.sessionClock)
        passwords = PasswordsHandler(
            accounts: accounts, credentials: CredentialsClient(wire), sessions: sessions,
            limits: limits)
        accountSessions = AccountSessionsHandler(
            accounts: accounts, identities: identities, codes: codes, sessions: sessions,
            devices: DevicesClient(wire), limits: limits)
        emails = EmailsHandler(
            changes: EmailChangesClient(wire), sessions: sessions, limits: limits)
        phone = PhoneSignInHandler(codes: codes, sessions: sessions, limits: limits)
        providers = ProvidersHandler(identities: identities, sessions: sessions, limits: limits)
        guests = GuestsHandler(identities: identities, sessions: sessions, limits: limits)
        methods = SignInMethodsHandler(identities: identities, sessions: sessions, limits: limits)
    }

    /// The calls made to the inner services so far, in order.
    var calls: [MethodDescription] { wire.calls }
}
