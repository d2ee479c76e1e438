import Contracts
import Messages
import RPC
import ServiceRuntime

/// An access token that is valid now.
struct ValidAccessToken: Hashable, Sendable {
    let account: AccountID
    let expiresAt: Timestamp
}

extension SessionsAPI {
    /// Resolves an access token by one call of the session service, for rpcs that do not change who
    /// may sign in; those use `SessionOwners`, which also looks at the session's proofs.
    ///
    /// The account is never read from a request: a compromised gateway could name any account.
    /// - Throws: `auth/invalid-access-token`; `auth/session-ended`, also for a token that has
    ///   expired since.
    func owner(
        ofAccessToken accessToken: String, _ context: CallContext
    ) async throws -> ValidAccessToken {
        let token = try await validateAccessToken(
            SessionV1.ValidateAccessTokenRequest(accessToken: accessToken), context.onward())
        if token.valid {
            guard let account = AccountID(text: token.accountId) else {
                throw ServiceError(.internalError, detail: "a session without a valid account id")
            }
            return ValidAccessToken(
                account: account, expiresAt: Timestamp(milliseconds: token.expiresAtMs))
        }
        let state = try await inspectSession(
            SessionV1.InspectSessionRequest(accessToken: accessToken), context.onward())
        if !state.known || state.live { throw ServiceError(.invalidAccessToken) }
        throw ServiceError.sessionEnded(state.endReason)
    }
}
