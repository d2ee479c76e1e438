import ServiceRuntime

/// Where the pool has put a call; told how the call ended, for the breaker's count.
///
/// What the end of a call says of the server:
///
///     the end                                              outcome
///     an answer, or an error of the server's own           answered
///     not processed, or never sent                         abandoned: the server may be going
///     UNAVAILABLE by the transport                         failed
///     DEADLINE_EXCEEDED, of a deadline set by this program failed, whoever said so
///     DEADLINE_EXCEEDED, of a caller's deadline
///         said by the server                               answered: it lives, and keeps time
///         said by this client, 1 s or more were given      failed
///         said by this client, less was given              abandoned
///
/// Attack: calls with short deadlines are relayed until the breaker opens for everybody. What a
/// caller asks for in too little time is no fault of the server.
struct Placement {
    /// A server that has not answered for so long has failed, even where it was a caller's deadline
    /// that ended the call: longer than a password hash takes beside others.
    static let answerFloor = Duration.seconds(1)

    let endpoint: ClientEndpoint
    let permission: CircuitBreaker.Permission

    func ended(
        _ result: Result<BorrowedResponse, ServiceError>, isAnswered: Bool, callersTime: Duration?
    ) {
        endpoint.ended(
            permission,
            Self.outcome(result, isAnswered: isAnswered, callersTime: callersTime))
    }

    /// - Parameters:
    ///   - isAnswered: The server itself has said how the call ends.
    ///   - callersTime: What a caller of this program left of its own time; nil where this program
    ///     set the deadline.
    static func outcome(
        _ result: Result<BorrowedResponse, ServiceError>, isAnswered: Bool, callersTime: Duration?
    ) -> CircuitBreaker.Outcome {
        guard case .failure(let error) = result else { return .answered }
        switch error.code {
        case .deadlineExceeded where error.notProcessed: return .abandoned
        case .deadlineExceeded:
            guard let callersTime else { return .failed }
            if isAnswered { return .answered }
            return callersTime >= answerFloor ? .failed : .abandoned
        case .unavailable where !isAnswered: return error.notProcessed ? .abandoned : .failed
        default: return isAnswered ? .answered : .abandoned
        }
    }
}
