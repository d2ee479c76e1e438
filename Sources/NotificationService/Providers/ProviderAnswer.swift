import Outbound
import ServiceRuntime

/// What a provider says of one message. A reason is one of a closed set of words of ours, with the
/// provider's code: never its own text, which may hold the number or the token.
enum ProviderAnswer: Hashable, Sendable {
    /// It is the provider's responsibility now.
    case taken
    /// The same, and the provider says that the number has changed hands or SIM lately.
    case takenForChangedNumber
    /// The number or device token is dead, since that moment where it is told.
    case addressIsDead(String, since: Timestamp?)
    /// It will never take this message, wherever it goes.
    case refused(String)
    /// Not this message, for a reason that may pass or that we do not know; it says nothing of the
    /// others, so the breaker takes it as an answer. Else whoever owns a few odd numbers or tokens
    /// could have the provider left alone for everybody.
    case later(String, retryAfter: Duration?)
    /// Trouble of its own, or with us: another provider may take the message now, or this one later.
    case failed(String, retryAfter: Duration?)
    /// No answer to a request that it may have had: it may have taken the message.
    case uncertain(String)
    /// We gave up.
    case cancelled

    /// What it tells the provider's breaker.
    var breakerOutcome: CircuitBreaker.Outcome {
        switch self {
        case .taken, .takenForChangedNumber, .addressIsDead, .refused, .later: .answered
        case .failed, .uncertain: .failed
        case .cancelled: .abandoned
        }
    }

    /// What an answer means that no list knows: by its status it is about this message, or about
    /// the provider and us.
    init(unlisted reason: String, _ response: HTTPResponse, at now: Timestamp) {
        let wait = response.retryAfter(at: now)
        switch response.status {
        case 400, 403, 404: self = .later(reason, retryAfter: wait)
        default: self = .failed(reason, retryAfter: wait)
        }
    }

    /// What a request without an answer means. A deadline may have passed before the request was
    /// out, which is not told apart: to send too seldom is better than to send without end.
    init(_ provider: String, _ failure: TransferFailure) {
        let reason = "\(provider)-\(failure.rawValue)"
        switch failure {
        case .cancelled, .closed: self = .cancelled
        case .interrupted, .timedOut, .tooLarge: self = .uncertain(reason)
        case .addressForbidden, .busy, .loginRefused, .notEncrypted, .redirected, .unreachable,
            .invalid:
            self = .failed(reason, retryAfter: nil)
        }
    }

    /// The same for a request that could not have sent the message.
    init(withoutMessage provider: String, _ failure: TransferFailure) {
        let answer = ProviderAnswer(provider, failure)
        if case .uncertain(let reason) = answer {
            self = .failed(reason, retryAfter: nil)
        } else {
            self = answer
        }
    }
}
