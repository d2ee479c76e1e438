import CallRecords
import Cryptography
import Messages
import RPC
import ServiceRuntime

/// A confirmation as it was asked for, read and checked.
struct ConfirmationAttempt: Sendable {
    let tokenHash: [UInt8]
    /// The account of the session that asks; nil outside a session.
    let asking: AccountID?
    /// As entered; empty where none was.
    let password: SecretBytes
    let origin: CallOrigin
    /// For a repeat; nil where the call carries no key.
    let call: RepeatableCall?

    /// Reads a request.
    /// - Throws: `auth/invalid-link` for what is no token.
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
