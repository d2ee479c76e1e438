import ServiceRuntime

/// Where the pool has put a call; told how the call ended, for the breaker's count.
struct Placement {
    let endpoint: ClientEndpoint
    let permission: CircuitBreaker.Permission

    func ended(_ result: Result<LentAnswer, ServiceError>, isAnswered: Bool) {
        endpoint.ended(permission, Self.outcome(result, isAnswered: isAnswered))
    }

    /// What the end of a call says of the server: failed are those that the transport or the
    /// deadline ended. A call that was not processed says nothing (the server may be going, and
    /// says so), nor does one that never left.
    static func outcome(
        _ result: Result<LentAnswer, ServiceError>, isAnswered: Bool
    ) -> CircuitBreaker.Outcome {
        guard case .failure(let error) = result else { return .answered }
        switch error.code {
        case .deadlineExceeded: return error.notProcessed ? .abandoned : .failed
        case .unavailable where !isAnswered: return error.notProcessed ? .abandoned : .failed
        default: return isAnswered ? .answered : .abandoned
        }
    }
}
