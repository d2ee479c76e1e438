import Outbound
import ServiceRuntime

/// A provider's answer to one message. A reason is one of a closed set of our own codes, with the
/// provider's error code. It is never the provider's text, which may contain the number or the
/// token.
enum ProviderAnswer: Hashable, Sendable {
    /// The provider has taken responsibility for the message.
    case taken
    /// As `taken`; in addition the provider reports that the number recently changed its owner or
    /// SIM.
    case takenForChangedNumber
    /// The number or device token is dead, since that time if the provider names one.
    case addressIsDead(String, since: Timestamp?)
    /// This message is rejected permanently, at whatever address.
    case refused(String)
    /// This message is rejected for now, for a reason that may pass or that we do not know. It says
    /// nothing about other messages, so the circuit breaker counts it as an answer. Otherwise an
    /// attacker with a few invalid numbers or tokens could open the breaker for everybody.
    case later(String, retryAfter: Duration?)
    /// The provider itself fails, or rejects us. Another provider may take the message
    /// now, or this one later.
    case failed(String, retryAfter: Duration?)
    /// No answer to a request that the provider may have received. It may have taken the message.
    case uncertain(String)
    /// The attempt was cancelled.
    case cancelled

    /// The outcome of an attempt with this provider alone.
    var outcome: DeliveryOutcome {
        switch self {
        case .taken, .takenForChangedNumber: .taken
        case .addressIsDead(let reason, _): .refused(reason, addressIsDead: true)
        case .refused(let reason): .refused(reason, addressIsDead: false)
        case .later(let reason, let wait), .failed(let reason, let wait):
            .failed(reason, retryAfter: wait)
        case .uncertain(let reason): .uncertain(reason)
        case .cancelled: .failed(.cancelled)
        }
    }

    /// What is reported to the provider's circuit breaker.
    var breakerOutcome: CircuitBreaker.Outcome {
        switch self {
        case .taken, .takenForChangedNumber, .addressIsDead, .refused, .later: .answered
        case .failed, .uncertain: .failed
        case .cancelled: .abandoned
        }
    }

    /// The meaning of an answer whose error code is in no list. Its status shows whether it is
    /// about this message, or about the provider and us.
    init(unlisted reason: String, _ response: HTTPResponse, at now: Timestamp) {
        let wait = response.retryAfter(at: now)
        switch response.status {
        case 400, 403, 404: self = .later(reason, retryAfter: wait)
        default: self = .failed(reason, retryAfter: wait)
        }
    }

    /// The meaning of a request without an answer. A deadline may have passed before the request
    /// was sent, which cannot be distinguished from one that passed later. Too few attempts are
    /// better than endless duplicates.
    init(_ provider: String, _ failure: TransferFailure) {
        let reason = "\(provider)-\(failure.rawValue)"
        switch failure {
        case .cancelled, .closed: self = .cancelled
        case .interrupted, .timedOut, .tooLarge: self = .uncertain(reason)
        case .addressForbidden, .busy, .loginRefused, .notEncrypted, .redirected, .unreachable,
            .unresolved, .invalid:
            self = .failed(reason, retryAfter: nil)
        }
    }

    /// The same for a request that could not have sent a message.
    init(withoutMessage provider: String, _ failure: TransferFailure) {
        let answer = ProviderAnswer(provider, failure)
        if case .uncertain(let reason) = answer {
            self = .failed(reason, retryAfter: nil)
        } else {
            self = answer
        }
    }
}
