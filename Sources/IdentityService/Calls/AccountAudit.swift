import ServiceRuntime
import Storage

extension Transaction {
    /// Writes an audit event about an account, caused by a call from `origin`.
    /// - Parameters:
    ///   - account: Nil if the call names no account.
    ///   - subject: Keyed hash of the address that the call names.
    ///   - outcome: The error of a refused call.
    func audit(
        _ kind: AuditKind, _ account: AccountID?, from origin: CallOrigin,
        subject: [UInt8]? = nil, outcome: ErrorCode? = nil
    ) throws {
        try audit(
            AuditEvent(kind, account: account?.key, subject: subject, outcome: outcome)
                .from(origin))
    }
}
