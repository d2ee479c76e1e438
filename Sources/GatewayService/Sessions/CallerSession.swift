import Contracts
import Messages
import RPC
import ServiceRuntime

/// The live session in whose name a call is made: that of the access token in the call's metadata,
/// `authorization: Bearer <access token>`, of calls that the gateway composes (`Relay` has the others).
/// The token is handed on only to the inner calls that need it, in their own fields. A method's
/// option `postern.options.v1.session` says how it is read here:
///
///     the access token     SESSION_REQUIRED             SESSION_OPTIONAL
///     none                 auth/invalid-access-token    no session
///     valid                the session                  the session
///     expired, live        auth/invalid-access-token    auth/invalid-access-token: refresh first
///     of an ended session  auth/session-ended           auth/session-ended: drop it, call again
///     not issued by us     auth/invalid-access-token    auth/session-ended
///     two, another scheme  rpc/invalid-argument         rpc/invalid-argument
///
/// An expired token must not count as none where the session is optional. Otherwise a guest's data
/// would stay in an account that can no longer be reached, while the user believes it was kept.
///
/// A call may end its own session (an upgrade of a guest, a sign-out). The service that stores its
/// response therefore looks a repeat up by its key before it judges the token (G-25): the session
/// service itself, and identity through `withOptionalAccessToken`.
struct CallerSession: Hashable, Sendable {
    /// The access token, which is valid.
    let accessToken: String
    /// "ses_…".
    let sessionID: String
    /// "acc_…".
    let accountID: String

    fileprivate init(_ accessToken: String, _ validity: SessionV1.ValidateAccessTokenResponse) {
        self.accessToken = accessToken
        sessionID = validity.sessionId
        accountID = validity.accountId
    }
}

extension SessionsAPI {
    /// The session of a call that requires one (`SESSION_REQUIRED`), where the gateway needs its
    /// account or charges a limit: a caller without a session must not use up limits.
    /// - Throws: as the table of `CallerSession`.
    func requiredSession(_ context: CallContext) async throws -> CallerSession {
        let token = try context.requiredAccessToken()
        return try await session(of: token, unknown: .invalidAccessToken, context)
    }

    /// The session of a call that may have one (`SESSION_OPTIONAL`).
    /// - Throws: as the table of `CallerSession`.
    func optionalSession(_ context: CallContext) async throws -> CallerSession? {
        guard let token = try context.accessToken() else { return nil }
        return try await session(of: token, unknown: .sessionEnded, context)
    }

    /// Runs a call of identity in which a guest may come along, with the access token to hand on;
    /// empty for none. Identity knows whose session is a guest's.
    ///
    /// The first call ends the session of a guest that becomes an account, so its repeat brings a
    /// token that is no longer valid. Only identity can look the repeat up by its idempotency key.
    /// It does so before it rejects the token; if it rejects it, the call was no repeat (G-25).
    /// - Throws: as `optionalSession`, and the errors of `body`.
    func withOptionalAccessToken<Answer>(
        of context: CallContext, _ body: (_ accessToken: String) async throws -> Answer
    ) async throws -> Answer {
        guard let token = try context.accessToken() else { return try await body("") }
        do {
            _ = try await session(of: token, unknown: .sessionEnded, context)
        } catch let refused as ServiceError where refused.isOfSession {
            let key = Metadata.Key.idempotencyKey
            guard context.metadata.entries.contains(where: { $0.key == key }) else {
                throw refused
            }
            do {
                return try await body(token)
            } catch let error as ServiceError where error.isOfSession {
                throw refused
            }
        }
        return try await body(token)
    }

    /// The session of an access token.
    /// - Parameter unknown: the error for a token that is not of this installation.
    private func session(
        of token: String, unknown: ErrorCode, _ context: CallContext
    ) async throws -> CallerSession {
        let validity = try await validateAccessToken(
            SessionV1.ValidateAccessTokenRequest(accessToken: token), context.onward())
        if validity.valid { return CallerSession(token, validity) }
        let state = try await inspectSession(
            SessionV1.InspectSessionRequest(accessToken: token), context.onward())
        guard state.known else { throw ServiceError(unknown) }
        if state.live { throw ServiceError(.invalidAccessToken) }
        throw ServiceError.sessionEnded(state.endReason)
    }
}

extension ServiceError {
    /// It says that an access token is not valid.
    fileprivate var isOfSession: Bool { code == .invalidAccessToken || code == .sessionEnded }
}
