import ServiceRuntime

/// The result of a call's transaction. A refusal that also writes something is a value and not a
/// thrown error: a throw would roll back the end of the family or the audit record.
enum FlowOutcome<Value: Sendable>: Sendable {
    /// Success; sessions may have ended in the transaction.
    case done(Value, ended: [RevokedSession] = [])
    /// An error for the caller; sessions may have ended in the transaction, and the use may have
    /// been recorded.
    case refused(
        ErrorCode, ended: [RevokedSession] = [], recorded: RejectedTokenCounter.Kind? = nil)
}

extension SessionParts {
    /// Applies a committed outcome: first updates the revoked sessions, so that none of their
    /// access tokens validates once the caller has its response (S-07); then returns the value or
    /// throws.
    /// - Throws: the error of a refusal.
    func settle<Value>(_ outcome: FlowOutcome<Value>) throws(ServiceError) -> Value {
        switch outcome {
        case .done(let value, let sessions):
            ended.insert(sessions)
            return value
        case .refused(let code, let sessions, let use):
            ended.insert(sessions)
            if let use { rejectedTokens.confirm(use) }
            throw ServiceError(code)
        }
    }
}
