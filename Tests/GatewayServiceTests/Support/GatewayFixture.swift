import Contracts
import Cryptography
import Messages
import RPC
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import GatewayService
@testable import IdentityService
@testable import NotificationService
@testable import PersonalData
@testable import SessionService

/// The gateway and the real services in one process, with real stores in a temporary folder and
/// with time that the test moves.
final class GatewayFixture: Sendable {
    let folder: TemporaryFolder
    let time: ManualTime
    let log = CapturedLog()
    let inner: InnerServices
    private let gateway: GatewayService
    var auth: AuthClient { AuthClient(front) }
    var accountSessions: AccountSessionsClient { AccountSessionsClient(front) }
    var passwords: PasswordsHandler { gateway.passwords }
    var providers: ProvidersClient { ProvidersClient(front) }
    var guests: GuestsClient { GuestsClient(front) }
    var options: SignInOptionsClient { SignInOptionsClient(front) }
    var methods: SignInMethodsClient { SignInMethodsClient(front) }
    var phone: PhoneSignInHandler { gateway.phoneSignIn }
    var challenges: SignInChallengesHandler { gateway.signInChallenges }
    var secondFactors: SecondFactorsClient { SecondFactorsClient(front) }
    var emails: EmailsClient { EmailsClient(front) }
    var pushRegistrations: PushRegistrationsClient { PushRegistrationsClient(front) }
    var documents: DocumentsClient { DocumentsClient(front) }
    var backendDocuments: BackendDocumentsClient { BackendDocumentsClient(front) }
    var backendPush: BackendPushClient { BackendPushClient(front) }
    var backendAccounts: BackendAccountsClient { BackendAccountsClient(front) }
    /// The gateway's methods as its callers call them.
    var front: InProcessChannel { InProcessChannel(gateway.methods) }
    var profile: ProfileClient { ProfileClient(front) }
    var onboarding: OnboardingClient { OnboardingClient(front) }
    var consents: ConsentsClient { ConsentsClient(front) }
    var dataExports: DataExportsClient { DataExportsClient(front) }
    var accountDeletion: AccountDeletionClient { AccountDeletionClient(front) }
    /// The rpcs of all handlers, for a server.
    var serviceMethods: [ServiceMethods] { gateway.methods }
    var providerNotices: ProviderNoticesClient { ProviderNoticesClient(front) }
    /// What else would do; its `ask` fills it.
    var alternatives: KnownAlternatives { gateway.alternatives }
    var verification: VerificationClient { VerificationClient(front) }
    /// What verifiers follow; its `run` fills it.
    var revocations: VerificationHandler { gateway.verification }
    var admin: AdminClient { AdminClient(front) }

    /// - Parameters:
    ///   - flags: The gateway's settings, as on a command line.
    ///   - limits: Replaces the rate limiter, for tests of its absence.
    ///   - identities: Replaces identity's providers and guests, for tests of the calls to them.
    ///   - relayed: Replaces methods that identity serves, for tests of the calls to them.
    ///   - providers: Identity's provider settings, as on a command line.
    ///   - phoneSettings: The countries that codes are sent to.
    ///   - rules: The text of identity's rules file; nil for none.
    ///   - consent: What identity asks consent for.
    ///   - guestDataMode: What happens to the documents of a guest that signs in to an account.
    ///   - newcomers: What newcomers may add in a day.
    ///   - accountAdmins: Who may administer accounts beside the operator's tool.
    ///   - gate: What asks for a second proof of a sign-in.
    init(
        flags: [String] = [], limits: (any LimitsAPI)? = nil,
        identities: (any IdentitiesAPI)? = nil, relayed: [MethodHandler] = [],
        providers: [String] = [],
        phone phoneSettings: PhoneSettings = PhoneSettings(countries: ["DE"]),
        enumeration: IdentitySettings.EnumerationMode = .friendly,
        verification: IdentitySettings.EmailVerificationMode = .optional,
        rules: String? = nil, consent: ConsentSettings = ConsentSettings(),
        guestDataMode: GuestDataMode = .discard,
        newcomers: NewcomerBytes = IdentitySettings().newcomers, accountAdmins: [String] = [],
        gate: SignInGate = .standard, time: ManualTime = ManualTime()
    ) async throws {
        self.time = time
        folder = try TemporaryFolder()
        inner = try await InnerServices(
            in: folder, time: time, providers: providers, phone: phoneSettings,
            enumeration: enumeration, verification: verification, rules: rules,
            consent: consent, guestData: guestDataMode, newcomers: newcomers,
            accountAdmins: accountAdmins, gate: gate)
        let (owner, session) = (inner.identityOwner(replacing: relayed), inner.sessionService)
        gateway = try GatewayService(
            settings: try SettingsLoader.settings(flags),
            peers: GatewayPeers(
                identity: .init(
                    accounts: AccountsClient(owner.calls),
                    credentials: CredentialsClient(owner.calls),
                    identities: identities ?? IdentitiesClient(owner.calls),
                    phoneCodes: PhoneCodesClient(owner.calls),
                    secondProofs: SecondProofsClient(owner.calls),
                    emailChanges: EmailChangesClient(owner.calls),
                    consents: AccountConsentsClient(owner.calls),
                    managed: ManagedAccountsClient(owner.calls),
                    deletions: AccountDeletionsClient(owner.calls),
                    exports: AccountExportsClient(owner.calls),
                    signals: SignInSignalsClient(owner.calls), relayed: owner),
                session: .init(
                    sessions: session.sessions, devices: session.devices,
                    ends: session.ends, clock: inner.sessionClock, relayed: inner.sessionOwner),
                limits: limits ?? inner.limits),
            time: time, randomness: SecureRandomness(), logger: log.logger(time: time))
    }

    /// A client of the rate limiter, as the flows have it.
    var limiter: RateLimiter {
        RateLimiter(
            limits: inner.limits, failures: [:], signals: UnreachableSignInSignals(), time: time,
            randomness: SecureRandomness(), logger: log.logger(time: time))
    }

    // MARK: Calls

    /// The context of a call by an application that may assert its users' addresses, and does so by
    /// default.
    func context(
        _ key: String? = nil, address: String? = "192.0.2.7", application: String = "app",
        mayAssert: Bool = true, language: String? = nil
    ) -> CallContext {
        var metadata = Metadata()
        metadata[Metadata.Key.idempotencyKey] = key
        metadata[Metadata.Key.clientAddress] = address
        metadata[Metadata.Key.acceptLanguage] = language
        return CallContext(
            application: application, deadline: time.uptime() + .seconds(10), metadata: metadata,
            mayAssertClientAddress: mayAssert)
    }

    func signUp(
        _ email: String = "ada@example.org", password: String = "Correct7Horse",
        device: String = "d1", accessToken: String? = nil, in context: CallContext? = nil
    ) async throws -> SignedIn {
        let answer = try await auth.signUpWithPassword(
            .init(
                email: email, password: .init(text: password), device: Self.device(device),
                displayName: "Ada"), (context ?? self.context()).bearing(accessToken))
        return SignedIn(
            account: try #require(answer.account), session: try #require(answer.session))
    }

    func signIn(
        _ email: String = "ada@example.org", password: String = "Correct7Horse",
        device: String = "d1", in context: CallContext? = nil
    ) async throws -> SignedIn {
        let answer = try await auth.signInWithPassword(
            .init(email: email, password: .init(text: password), device: Self.device(device)),
            context ?? self.context())
        return SignedIn(
            account: try #require(answer.account), session: try #require(answer.session))
    }

    func refresh(
        _ token: String, in context: CallContext? = nil
    ) async throws -> GatewayV1.Session {
        let answer = try await auth.refreshSession(
            .init(refreshToken: token, device: Self.device("d1")), context ?? self.context())
        return try #require(answer.session)
    }

    func check(_ accessToken: String?) async throws -> GatewayV1.CheckAuthStateResponse {
        try await auth.checkAuthState(.init(), context().bearing(accessToken))
    }

    func signOut(
        _ token: SignOutToken?, all: Bool = false
    ) async throws -> UInt32 {
        switch token {
        case .accessToken(let token):
            try await auth.signOut(.init(all: all), context().bearing(token)).endedSessions
        case .refreshToken(let token):
            try await auth.signOut(.init(refreshToken: token, all: all), context()).endedSessions
        case nil: try await auth.signOut(.init(all: all), context()).endedSessions
        }
    }

    func verify(
        _ token: String, accessToken: String? = nil, password: String = "",
        in context: CallContext? = nil
    ) async throws -> GatewayV1.Account {
        let answer = try await auth.verifyEmail(
            .init(
                token: token, password: .init(text: password),
                device: Self.device("d1")), (context ?? self.context()).bearing(accessToken))
        return try #require(answer.account)
    }

    static func device(_ id: String) -> GatewayV1.Device {
        GatewayV1.Device(deviceId: id, platform: "cli", name: "Ada's laptop")
    }
}

/// By what a call signs out.
enum SignOutToken: Hashable, Sendable {
    case accessToken(String)
    case refreshToken(String)
}

/// The result of a sign-up or sign-in.
struct SignedIn: Hashable, Sendable {
    let account: GatewayV1.Account
    let session: GatewayV1.Session
}

/// Returns the `ServiceError` that `body` throws.
/// - Throws: any other error of `body`, and fails the test if it throws nothing.
func refusal<Value>(
    _ body: () async throws -> Value, sourceLocation: SourceLocation = #_sourceLocation
) async throws -> ServiceError {
    do {
        _ = try await body()
    } catch let error as ServiceError {
        return error
    }
    return try #require(nil as ServiceError?, "nothing was thrown", sourceLocation: sourceLocation)
}
