import CallRecords
import Cryptography
import Messages
import RPC
import ServiceRuntime

/// A change of a password as it was asked for, read and checked.
struct ChangeAttempt: Sendable {
    let account: AccountID
    /// The session that asks, and stays.
    let session: SessionID
    let current: Password
    /// As entered; what the policy says of it needs the account.
    let new: SecretBytes
    let device: DeviceShown
    let origin: CallOrigin
    /// For a repeat; nil where the call carries no key.
    let call: RepeatableCall?

    /// Reads a request. The session's id is read here, since one that session refuses would stand
    /// in the way of the end of all others for ever.
    /// - Throws: `rpc/invalid-argument`; `auth/invalid-credential` for a current password longer
    ///   than any that we would have taken.
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
