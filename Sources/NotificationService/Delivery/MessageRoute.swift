package import ServiceRuntime
package import Storage

/// The route by which messages of one channel are delivered: one or several providers, or a folder
/// on a machine without a provider.
package protocol MessageRoute: Sendable {
    /// Makes one attempt, within a bounded time that is shorter than `Delivery.lease`. After
    /// cancellation the outcome may be unknown. `message.id` is passed on as the provider's
    /// idempotency key or as Message-ID, so that duplicates can be recognised.
    func deliver(_ message: OutgoingMessage) async -> DeliveryOutcome

    /// How many messages the route would take now. The others stay in the store, which is cheaper
    /// than claiming them and putting them back.
    var readiness: RouteReadiness { get }

    /// Records that a message's address is dead, in the transaction that ends the message.
    /// - Throws: `SQLError`.
    func suppress(_ address: DeadAddress, in transaction: Transaction) throws
}

extension MessageRoute {
    /// No limit.
    package var readiness: RouteReadiness { .ready(.max) }

    /// There is no suppression list.
    /// - Throws: Nothing.
    package func suppress(_ address: DeadAddress, in transaction: Transaction) throws {}
}

/// The outcome of one attempt. A reason is a `DeliveryReason`, or a code that we made of a
/// provider's answer ("smtp-550"), for log, store and operator. It is never the provider's text,
/// which may contain the recipient's address.
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

    /// The attempt failed for a reason of this service.
    static func failed(_ reason: DeliveryReason) -> DeliveryOutcome {
        .failed(reason.rawValue, retryAfter: nil)
    }

    /// The message is rejected by this service. Its address is not dead.
    static func refused(_ reason: DeliveryReason) -> DeliveryOutcome {
        .refused(reason.rawValue, addressIsDead: false)
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

/// How many messages a route would take.
package enum RouteReadiness: Hashable, Sendable {
    /// This many now.
    case ready(Int)
    /// None before this time.
    case closed(until: Timestamp)
}

/// A message that is being delivered.
package struct OutgoingMessage: Sendable {
    /// The same at every attempt.
    let id: MessageID
    /// The number of the attempt, from 1.
    let attempt: Int
    /// When it was accepted; the same at every attempt.
    let acceptedAt: Timestamp
    /// When it expires. Some providers accept this time.
    let expiresAt: Timestamp?
    /// The keyed hash of the recipient, as in suppression lists.
    let recipient: [UInt8]
    /// Content and recipient, decrypted.
    let content: Content

    /// The content and recipient of a message, by channel.
    enum Content: Sendable {
        /// A mail.
        case email(EmailOrder)
        /// A text message.
        case sms(SMSOrder)
        /// A push message to one device.
        case push(PushOrder)

        /// Decodes the stored form.
        /// - Throws: `MessageError`, `ServiceError`, `StoredOrderError`.
        init(_ channel: Channel, stored bytes: [UInt8]) throws {
            switch channel {
            case .email: self = .email(try EmailOrder(stored: bytes))
            case .sms: self = .sms(try SMSOrder(stored: bytes))
            case .push: self = .push(try PushOrder(stored: bytes))
            }
        }
    }
}

/// An address, number or device token that a provider reports as dead.
package struct DeadAddress: Hashable, Sendable {
    /// The message that was rejected.
    let message: MessageID
    /// The keyed hash of the address.
    let recipient: [UInt8]
    /// The reason's code.
    let reason: String
    /// When that message was accepted. An address that was registered again after this is not dead.
    let acceptedAt: Timestamp
}

/// The channel by which a message is delivered. Raw values are stored and never change.
package enum Channel: Int64, CaseIterable, Sendable {
    /// Mail (N-01).
    case email = 1
    /// A text message to a phone (N-02).
    case sms = 2
    /// A push message to a device (N-02).
    case push = 3
}

extension RouteReadiness {
    /// The readiness of a route over these providers: the sum of theirs.
    static func any(of guards: [ProviderGuard]) -> RouteReadiness {
        var capacity = 0
        var opensAt: Timestamp?
        for providerGuard in guards {
            switch providerGuard.readiness {
            case .ready(let more):
                capacity = capacity.addingReportingOverflow(more).overflow ? .max : capacity + more
            case .closed(let until): opensAt = min(opensAt ?? until, until)
            }
        }
        if capacity == 0, let opensAt { return .closed(until: opensAt) }
        return .ready(capacity)
    }
}
