package import ServiceRuntime

/// The outcome of one attempt. A reason is one of a closed set of our own codes ("smtp-550"), for
/// log, store and operator. It is never the provider's text, which may contain the recipient's
/// address.
package enum DeliveryOutcome: Hashable, Sendable {
    /// The provider has taken responsibility for the message.
    case taken
    /// The message is rejected permanently. With `addressIsDead` so is every other message to the
    /// same address, number or device: the route's `suppress` is called in the same transaction.
    case refused(String, addressIsDead: Bool)
    /// The attempt failed and is retried. A delay that the provider asks for is honoured.
    case failed(String, retryAfter: Duration?)
    /// A provider received the whole message and did not say whether it took it. A retry may send a
    /// duplicate, so retries are few and far apart.
    case uncertain(String)
    /// No provider accepts messages now: its circuit breaker is open or its rate is used up.
    /// Nothing was sent, so this does not count as an attempt.
    case unavailable(String, until: Timestamp)

    /// The attempt failed, without a delay from the provider.
    package static func failed(_ reason: String) -> DeliveryOutcome {
        .failed(reason, retryAfter: nil)
    }

    /// Whether the message may have been sent.
    var isUncertain: Bool {
        if case .uncertain = self { true } else { false }
    }

    /// The code in log and store; nil for success.
    package var reason: String? {
        switch self {
        case .taken: nil
        case .refused(let reason, _), .failed(let reason, _), .unavailable(let reason, _): reason
        case .uncertain(let reason): reason
        }
    }
}
