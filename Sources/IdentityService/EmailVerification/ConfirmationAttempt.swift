import Cryptography
import Messages
import RPC
import ServiceRuntime
import Storage

/// A request to confirm an address, parsed and checked.
struct ConfirmationAttempt: Sendable {
    let tokenHash: [UInt8]
    /// The account of the caller's session; nil outside a session.
    let asking: AccountID?
    /// As entered; empty if none was.
    let password: SecretBytes
    let origin: CallOrigin
    /// For idempotency; nil if the call has no key.
    let call: RepeatableCall?

    /// Reads a request.
    /// - Throws: `auth/invalid-link` for a malformed token; `rpc/invalid-argument` for a malformed
    ///   idempotency key.
    init(
        _ request: IdentityV1.ConfirmEmailRequest, _ context: CallContext, _ keys: IdentityKeys
    ) throws(ServiceError) {
        guard let token = LinkToken(text: request.token) else { throw ServiceError(.invalidLink) }
        tokenHash = token.hash(.verifyEmail, keys.links)
        asking = AccountID(text: request.accountId)
        password = request.password
        origin = CallOrigin(request.origin, hash: keys.audit)
        call = try RepeatableCall(
            "ConfirmEmail", [tokenHash, Array(request.accountId.utf8)], context, hash: keys.calls)
    }
}
