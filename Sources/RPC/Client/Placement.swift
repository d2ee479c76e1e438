import ServiceRuntime

/// The endpoint that the pool chose for a call. Reports to the endpoint's breaker how the call
/// ended.
///
/// What the end of a call shows about the server:
///
///     end of the call                                      outcome
///     a response, or an error of the server itself         answered
///     not processed, or never sent                         abandoned: the server may be draining
///     UNAVAILABLE by the transport                         failed
///     DEADLINE_EXCEEDED, deadline set by this program      failed, at whichever side it passed
///     DEADLINE_EXCEEDED, deadline set by a caller
///         returned by the server                           answered: the server works
///         at this client, 1 s or more was given            failed
///         at this client, less was given                   abandoned
///
/// Attack: calls with short deadlines are relayed until the breaker opens for all callers. A
/// caller's timeout that is too short must not count as a failure of the server.
struct Placement {
    /// A server that has not responded for this long has failed, even if it was a caller's deadline
    /// that passed. It is longer than a password hash takes under load.
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
    ///   - isAnswered: The server itself ended the call.
    ///   - callersTime: If the deadline is that of a caller of this program, the time left when the
    ///     call began; nil where this program set the deadline.
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
