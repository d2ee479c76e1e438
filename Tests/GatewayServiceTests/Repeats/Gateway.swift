import Contracts
import GatewayService
import IdentityService
import Messages
import RPC
import ServiceRuntime
import SessionService
import TestSupport

/// A gateway's public services over a house's inner ones: another instance than the house's own, as
/// after a crash, or one that loses the session service on the way. A new service of the gateway is
/// added here.
struct Gateway: Sendable {
    let auth: GatewayService
    let passwords: Passwords
    let accountSessions: AccountSessions
    let providers: ProviderSignIn
    let guests: Guests
    let methods: SignInMethods
    let phone: PhoneSignIn
    let emails: Emails

    /// - Parameter sessions: in the place of the session service.
    init(_ house: GatewayHouse, sessions: (any SessionsAPI & DevicesAPI)? = nil) throws {
        let inner = house.inner
        let sessions = sessions ?? inner.session
        let settings: GatewaySettings = try SettingsLoader.settings()
        let limits = LimitGuard(
            limits: inner.limits, failures: settings.limiterFailures, time: house.time,
            logger: house.log.logger(time: house.time))
        let codes = PhoneCodes(of: inner.identity)
        auth = GatewayService(
            accounts: inner.identity, sessions: sessions, limits: limits, time: house.time)
        passwords = Passwords(
            accounts: inner.identity, credentials: inner.identity, sessions: sessions,
            limits: limits)
        accountSessions = AccountSessions(
            accounts: inner.identity, identities: inner.identities, codes: codes,
            sessions: sessions, devices: sessions, limits: limits)
        emails = Emails(
            changes: EmailChanges(of: inner.identity), sessions: sessions, limits: limits)
        phone = PhoneSignIn(codes: codes, sessions: sessions, limits: limits)
        providers = ProviderSignIn(
            identities: inner.identities, sessions: sessions, limits: limits)
        guests = Guests(identities: inner.identities, sessions: sessions, limits: limits)
        methods = SignInMethods(identities: inner.identities, sessions: sessions, limits: limits)
    }
}

/// A session service that is gone where a flow needs it to finish: for whatever it would change. What
/// is only asked of it, before anything is done, it still answers.
struct SessionsGoneHalfWay: SessionsAPI, DevicesAPI {
    /// Whether it does what it is asked, and is gone with its answer.
    let doesIt: Bool
    let session: any SessionsAPI & DevicesAPI

    private func gone<Answer>(_ body: () async throws -> Answer) async throws -> Answer {
        if doesIt { _ = try await body() }
        throw ServiceError(.unavailable)
    }

    func create(
        _ request: SessionV1.CreateRequest, _ context: CallContext
    ) async throws -> SessionV1.CreateResponse {
        try await gone { try await session.create(request, context) }
    }

    func refresh(
        _ request: SessionV1.RefreshRequest, _ context: CallContext
    ) async throws -> SessionV1.RefreshResponse {
        try await gone { try await session.refresh(request, context) }
    }

    func reauthenticate(
        _ request: SessionV1.ReauthenticateRequest, _ context: CallContext
    ) async throws -> SessionV1.ReauthenticateResponse {
        try await gone { try await session.reauthenticate(request, context) }
    }

    func validate(
        _ request: SessionV1.ValidateRequest, _ context: CallContext
    ) async throws -> SessionV1.ValidateResponse { try await session.validate(request, context) }

    func inspect(
        _ request: SessionV1.InspectRequest, _ context: CallContext
    ) async throws -> SessionV1.InspectResponse { try await session.inspect(request, context) }

    func signOut(
        _ request: SessionV1.SignOutRequest, _ context: CallContext
    ) async throws -> SessionV1.SignOutResponse { try await session.signOut(request, context) }

    func endAccount(
        _ request: SessionV1.EndAccountRequest, _ context: CallContext
    ) async throws -> SessionV1.EndAccountResponse {
        try await session.endAccount(request, context)
    }

    func keySet(
        _ request: SessionV1.KeySetRequest, _ context: CallContext
    ) async throws -> SessionV1.KeySetResponse { try await session.keySet(request, context) }

    func list(
        _ request: SessionV1.ListRequest, _ context: CallContext
    ) async throws -> SessionV1.ListResponse { try await session.list(request, context) }

    func end(
        _ request: SessionV1.EndRequest, _ context: CallContext
    ) async throws -> SessionV1.EndResponse { try await session.end(request, context) }

    func endOthers(
        _ request: SessionV1.EndOthersRequest, _ context: CallContext
    ) async throws -> SessionV1.EndOthersResponse {
        try await session.endOthers(request, context)
    }

    func listProofs(
        _ request: SessionV1.ListProofsRequest, _ context: CallContext
    ) async throws -> SessionV1.ListProofsResponse {
        try await session.listProofs(request, context)
    }
}
