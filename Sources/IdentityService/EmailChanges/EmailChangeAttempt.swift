import Cryptography
import Messages
import RPC
import ServiceRuntime
import Storage

/// A request to confirm an email change, parsed and checked.
struct EmailChangeAttempt: Sendable {
    let tokenHash: [UInt8]
    /// The owner of the caller's session; nil outside a session.
    let owner: SessionOwner?
    /// As entered; empty if none was.
    let password: SecretBytes
    let origin: CallOrigin
    /// For idempotency; nil if the call has no key.
    let call: RepeatableCall?

    /// Reads a request.
    /// - Throws: `auth/invalid-link` for a malformed token; `rpc/invalid-argument` for a malformed
    ///   idempotency key.
    init(
        _ request: IdentityV1.ConfirmEmailChangeRequest, from owner: SessionOwner?,
        _ context: CallContext, _ keys: IdentityKeys
    ) throws(ServiceError) {
        guard let token = LinkToken(text: request.token) else { throw ServiceError(.invalidLink) }
        tokenHash = token.hash(.changeEmail, keys.links)
        self.owner = owner
        password = request.password
        origin = CallOrigin(request.origin, hash: keys.audit)
        call = try RepeatableCall("ConfirmEmailChange", [tokenHash], context, hash: keys.calls)
    }

    /// The account of the caller's session; nil outside a session.
    var asking: AccountID? { owner?.account }
}

extension SessionOwners {
    /// The owner of the caller's session if it is live. An invalid access token counts as none, so
    /// that the link still works with a password.
    /// - Throws: as `owner(of:_:)`, except for `auth/invalid-access-token` and
    ///   `auth/session-ended`.
    func ownerIfLive(
        _ accessToken: String, _ context: CallContext
    ) async throws -> SessionOwner? {
        guard !accessToken.isEmpty else { return nil }
        do {
            return try await owner(of: accessToken, context)
        } catch let error as ServiceError where Self.isOver(error.code) {
            return nil
        }
    }

    private static func isOver(_ code: ErrorCode) -> Bool {
        code == .invalidAccessToken || code == .sessionEnded
    }
}
