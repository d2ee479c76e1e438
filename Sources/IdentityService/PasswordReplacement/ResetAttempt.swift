import Cryptography
import Messages
import RPC
import ServiceRuntime
import Storage

/// The validated request that uses a reset link.
struct ResetAttempt: Sendable {
    let tokenHash: [UInt8]
    /// As entered.
    let password: SecretBytes
    let device: SignInDevice
    let origin: CallOrigin
    /// For idempotent retries; nil when the call carries no key.
    let call: RepeatableCall?

    /// Reads a request.
    /// - Throws: `auth/invalid-link` for a malformed token; `rpc/invalid-argument` for an invalid
    ///   idempotency key.
    init(
        _ request: IdentityV1.ResetPasswordRequest, _ context: CallContext, _ keys: IdentityKeys
    ) throws(ServiceError) {
        guard let token = LinkToken(text: request.token) else { throw ServiceError(.invalidLink) }
        tokenHash = token.hash(.resetPassword, keys.links)
        password = request.password
        device = SignInDevice(request.origin)
        origin = CallOrigin(request.origin, hash: keys.audit)
        call = try RepeatableCall("ResetPassword", [tokenHash], context, hash: keys.calls)
    }
}
