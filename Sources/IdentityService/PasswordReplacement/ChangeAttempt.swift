import Cryptography
import Messages
import RPC
import ServiceRuntime
import Storage

/// The validated request of a password change.
struct ChangeAttempt: Sendable {
    let account: AccountID
    /// The session that made the call. It is kept when the others end.
    let session: SessionID
    let current: Password
    /// As entered. The policy check needs the account, so it comes later.
    let new: SecretBytes
    let device: DeviceShown
    let origin: CallOrigin
    /// For idempotent retries; nil when the call carries no key.
    let call: RepeatableCall?

    /// Reads a request. The session id is validated here, because an outbox message with an id that
    /// the session service rejects would be retried forever and block the end of all other
    /// sessions.
    /// - Throws: `rpc/invalid-argument`; `auth/invalid-credential` for a current password that
    ///   exceeds the accepted length.
    init(
        _ request: IdentityV1.ChangePasswordRequest, _ context: CallContext, _ keys: IdentityKeys
    ) throws(ServiceError) {
        guard let account = AccountID(text: request.accountId) else {
            throw ServiceError(.invalidArgument, fields: ["account_id"])
        }
        guard let session = SessionID(text: request.sessionId) else {
            throw ServiceError(.invalidArgument, fields: ["session_id"])
        }
        guard let current = Password(entered: request.currentPassword) else {
            throw ServiceError(.invalidCredential)
        }
        self.account = account
        self.session = session
        self.current = current
        new = request.newPassword
        device = DeviceShown(request.origin)
        origin = CallOrigin(request.origin, hash: keys.audit)
        call = try RepeatableCall(
            "ChangePassword", [Array(account.text.utf8), Array(session.text.utf8)], context,
            hash: keys.calls)
    }
}
