import Contracts
import Messages
import RPC
import ServiceRuntime

extension AuthHandler {
    /// G-01: whether the token's owner is signed in, and if not, why. The state "authenticated
    /// without an account" does not exist: the account is read, and a deleted or disabled one
    /// counts as not signed in. For a token that is known and a feed that is not silent, that is
    /// the only call (`TokenAccounts`). An invalid token is a response, not an error.
    func checkAuthState(
        _ request: GatewayV1.CheckAuthStateRequest, _ context: CallContext
    ) async throws -> GatewayV1.CheckAuthStateResponse {
        let token = try context.accessToken() ?? ""
        var answer = try await state(token, context)
        answer.answeredAtMs = try await sessionTime(context)
        answer.userMessage = answer.sentence(in: context.metadata.voice)
        return answer
    }

    /// The time on the session service's clock (`sessionClock`).
    private func sessionTime(_ context: CallContext) async throws -> Int64 {
        if let now = tokens.sessionTime() { return now.milliseconds }
        return try await sessionClock.check(ClockV1.CheckRequest(), context.onward()).nowMs
    }

    private func state(
        _ token: String, _ context: CallContext
    ) async throws -> GatewayV1.CheckAuthStateResponse {
        guard let id = try await tokens.account(of: token, context) else {
            let state = try await sessions.inspectSession(
                SessionV1.InspectSessionRequest(accessToken: token), context.onward())
            return GatewayV1.CheckAuthStateResponse(
                reason: reason(state), endReason: state.endReason)
        }
        guard let found = try await find(id, context), let account = found.account else {
            return GatewayV1.CheckAuthStateResponse(reason: .noSession)
        }
        guard account.status != .deleting else {
            return GatewayV1.CheckAuthStateResponse(reason: .accountDeleted)
        }
        guard account.status == .active || account.status == .pendingVerification else {
            return GatewayV1.CheckAuthStateResponse(reason: .revoked)
        }
        return GatewayV1.CheckAuthStateResponse(
            authenticated: true, account: account, requiredActions: found.requiredActions)
    }

    /// Nil if the account no longer exists.
    private func find(
        _ id: String, _ context: CallContext
    ) async throws -> IdentityV1.GetAccountResponse? {
        do {
            return try await accounts.getAccount(
                IdentityV1.GetAccountRequest(accountId: id), context.onward())
        } catch let error as ServiceError where error.code == .notFound {
            return nil
        }
    }

    private func reason(_ state: SessionV1.InspectSessionResponse) -> GatewayV1.AuthStateReason {
        guard state.known else { return .noSession }
        if state.live { return .accessTokenExpired }
        return switch state.endReason {
        case .inactive: .inactive
        case .maximumAge: .maximumAge
        case .replayed, .security: .security
        case .signedOut, .displaced, .revoked: .revoked
        case .providerRevoked: .providerRevoked
        case .accountDeleted: .accountDeleted
        case .unspecified, .unrecognized: .noSession
        }
    }
}

extension GatewayV1.CheckAuthStateResponse {
    /// Why the person is signed out: the sentence of `auth/session-ended` for the reason. Empty for
    /// a session that can go on, and without one.
    ///
    ///     reason                                the sentence is about
    ///     inactive, maximumAge, security, …     the end of the session, in its detail (`endReason`)
    ///     accountDeleted, of a live session     the account: its deletion has begun
    ///     revoked, of a live session            the operator, who has suspended the account
    ///     accessTokenExpired, noSession, none   nothing
    func sentence(in voice: Voice) -> String {
        let end: EndReason? =
            switch reason {
            case .accountDeleted: .accountDeleted
            case .revoked, .inactive, .maximumAge, .security, .providerRevoked:
                endReason == .unspecified ? .revoked : EndReason(endReason)
            case .noSession, .accessTokenExpired, .unspecified, .unrecognized: nil
            }
        return end?.sentence(in: voice) ?? ""
    }
}
