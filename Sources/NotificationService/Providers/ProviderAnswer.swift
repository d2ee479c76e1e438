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
    /// Trouble of its own, or with us: another provider may take the message now, or this one later.
    case failed(String, retryAfter: Duration?)
    /// We gave up.
    case cancelled

    /// What it tells the provider's breaker.
    var breakerOutcome: CircuitBreaker.Outcome {
        switch self {
        case .taken, .takenForChangedNumber, .addressIsDead, .refused: .answered
        case .failed: .failed
        case .cancelled: .abandoned
        }
    }

    /// What a request without an answer means.
    init(_ provider: String, _ failure: TransferFailure) {
        switch failure {
        case .cancelled, .closed: self = .cancelled
        case .addressForbidden, .busy, .interrupted, .loginRefused, .notEncrypted, .redirected,
            .timedOut, .tooLarge, .unreachable, .invalid:
            self = .failed("\(provider)-\(failure.rawValue)", retryAfter: nil)
        }
    }
}
