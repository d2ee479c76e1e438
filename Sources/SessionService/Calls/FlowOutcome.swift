import ServiceRuntime

/// How a flow's transaction went. A refusal is a value and no thrown error where something is
/// written with it, since a throw would undo the end of a family or the audit record.
enum FlowOutcome<Value: Sendable>: Sendable {
    /// Done; sessions may have ended on the way.
    case done(Value, ended: [RevokedSession] = [])
    /// Refused, for the caller to be told; sessions may have ended on the way, and the use may have
    /// been recorded.
    case refused(
        ErrorCode, ended: [RevokedSession] = [], recorded: RejectedTokenCounter.Kind? = nil)
}

extension SessionParts {
    /// Takes over what has been committed: first validation learns of the ends, so that no access
    /// token of them is good once the caller has its answer (S-07); then the value, or the error.
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
