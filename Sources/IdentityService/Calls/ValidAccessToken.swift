import Contracts
import Messages
import RPC
package import ServiceRuntime

/// An access token that is valid now.
///
/// What refuses a call in the name of an access token. The first five ask the session service,
/// the others read this store, in the transaction of a change:
///
///     check                               refuses
///     `validated`                         an invalid token; a session that has ended
///     `SessionOwners.owner`               the same; an account that is gone or not active
///     `SessionOwners.require`             the same; a session without a recent proof
///     `SessionOwners.requireUnlessGuest`  the same, but for a guest as `owner`
///     `SessionOwners.calling`             as `owner`; with an idempotency key the rpc does, after it
///                                         has looked for a repeat
///     `SessionOwners.optionalOwner`       as `owner`, where there is a token
///     `callersRow`                        an account that is gone or not active
///     `changeableRow`                     the same; a guest whose documents a choice moves or keeps
///     `requireLive`                       a session that this store has ended: the session service
///                                         learns it later, by the outbox
///
/// Of a call that the gateway passes on, the first check is made before the rpc runs: `validated` of
/// an `AccountCall`, `owner` of an `OwnerCall`, whose `known.require` is `require`. A `DeletionCall`
/// has passed none. The rpcs of `postern.identity.v1` check the token of their metadata themselves.
///
///     an rpc that                                checks
///     reads, or changes what an account agreed   `validated`, then `callersRow`
///     changes name or photo                      `validated`, then `changeableRow`
///     reads or changes documents                 `validated`, then `DocumentOwner.requireUsable`
///     lists sign-in methods                      `owner`
///     changes who may sign in, or is sensitive   `owner` or `require`, then `callersRow` where it
///                                                needs the row, and `requireLive`
///     previews, requests or cancels a deletion   `validated`, and then the same; none by a link
///     signs up or in, where a guest may call     `calling`, and `requireLive`
///     signs in as a guest, confirms an address   `validated`, if there is a token
///     confirms a change of address               `optionalOwner`, and `requireLive`
///     shows or sends an export by a session's    `SessionOwners.link`, then `callersRow`
///     link
///     sends a photo to those who may see it      `validated`, if there is a token
package struct ValidAccessToken: Hashable, Sendable {
    /// The account of its session.
    package let account: AccountID
    /// When it expires.
    package let expiresAt: Timestamp
}

extension SessionsAPI {
    /// Resolves an access token by one call of the session service, for rpcs that do not change who
    /// may sign in; those use `SessionOwners`, which also looks at the session's proofs.
    ///
    /// The account is never read from a request: a compromised gateway could name any account.
    ///
    /// - Parameter unknown: The error for a token that is not of this installation.
    /// - Throws: as `InspectSessionResponse.refusal`; `auth/session-ended` also for a token that has
    ///   expired since.
    func validated(
        accessToken: String, unknown: ErrorCode = .invalidAccessToken, _ context: CallContext
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
        throw state.refusal(of: accessToken, unknown: unknown)
    }
}
