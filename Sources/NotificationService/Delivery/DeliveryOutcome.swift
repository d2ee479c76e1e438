package import ServiceRuntime

/// How one try ended. A reason is one of a closed set of words of ours ("smtp-550"), for log, store
/// and operator: never the provider's own text, which may hold the recipient's address.
package enum DeliveryOutcome: Hashable, Sendable {
    /// The message is somebody else's responsibility now.
    case taken
    /// It will never be taken. With `addressIsDead` neither will any other message to the same
    /// address, number or device: the route's `stop` is called in the same transaction.
    case refused(String, addressIsDead: Bool)
    /// Not this time. A provider that says when to come again is obeyed.
    case failed(String, retryAfter: Duration?)
    /// A provider was given the whole message and did not say whether it took it. Another try may
    /// send it twice, so there are few of them, far apart.
    case uncertain(String)
    /// No provider can take it now, its breaker being open or its rate used up. Nothing was tried,
    /// so this costs no attempt.
    case unavailable(String, until: Timestamp)

    /// Not this time, and nobody said when.
    package static func failed(_ reason: String) -> DeliveryOutcome {
        .failed(reason, retryAfter: nil)
    }

    /// Whether the message may have gone out.
    var isUncertain: Bool {
        if case .uncertain = self { true } else { false }
    }

    /// The word that log and store keep; nil for success.
    package var reason: String? {
        switch self {
        case .taken: nil
        case .refused(let reason, _), .failed(let reason, _), .unavailable(let reason, _): reason
        case .uncertain(let reason): reason
        }
    }
}
