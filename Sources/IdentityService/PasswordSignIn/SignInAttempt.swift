import Addresses
import Messages
import RPC
import ServiceRuntime
import Storage

/// The validated request of a password sign-in.
struct SignInAttempt: Sendable {
    let password: Password
    /// Keyed hash of the address, by which the account is looked up.
    let lookUpKey: [UInt8]
    /// Keyed hash of the address for the audit log.
    let subject: [UInt8]
    let origin: CallOrigin
    let device: SignInDevice
    /// For idempotent retries; nil when the call carries no key.
    let call: RepeatableCall?

    /// Reads a request.
    /// - Throws: `auth/invalid-email`; `auth/invalid-credential` for a password that exceeds the
    ///   accepted length, rejected without the cost of a hash.
    init(
        _ request: IdentityV1.VerifyPasswordRequest, _ context: CallContext, _ keys: IdentityKeys
    ) throws(ServiceError) {
        let address = try EmailAddress.required(request.email)
        guard let password = Password(entered: request.password) else {
            throw ServiceError(.invalidCredential)
        }
        self.password = password
        lookUpKey = keys.lookUpKey(of: address)
        subject = keys.subject(of: address)
        origin = CallOrigin(request.origin, hash: keys.audit)
        device = SignInDevice(request.origin)
        call = try RepeatableCall("VerifyPassword", [lookUpKey], context, hash: keys.calls)
    }

    /// Records the rejection in the audit log and returns the error to throw. Without an account,
    /// only a counter is incremented.
    /// - Throws: the store's error, as `ServiceError.afterComparison`.
    func refused(
        _ code: ErrorCode, _ holder: PasswordHolder?, _ parts: IdentityParts
    ) async throws -> ServiceError {
        do {
            try await parts.store.write { transaction in
                guard let holder else {
                    return try transaction.auditCounted(.signInFailed, outcome: code, from: origin)
                }
                try transaction.audit(
                    AuditEvent(
                        .signInFailed, account: holder.row.account.key, subject: subject,
                        outcome: code
                    ).from(origin))
            }
        } catch let error as ServiceError {
            throw error.afterComparison
        }
        return ServiceError(code)
    }
}
