package import ServiceRuntime
package import Storage

/// A way for the messages of one channel to leave: over one provider or several, or into a folder
/// on a machine that has none.
package protocol MessageRoute: Sendable {
    /// Tries once, within a bounded time that is shorter than `Delivery.lease`. Cancellation may
    /// end the try with its result unknown. `message.id` goes along, as the provider's idempotency
    /// key or Message-ID, so that a doubled message can be recognised.
    func deliver(_ message: OutgoingMessage) async -> DeliveryOutcome

    /// How many messages it would take now. What it would not take is left in the store, where it
    /// costs nothing, instead of being claimed and put back.
    var readiness: RouteReadiness { get }

    /// Notes that a message's address is dead, in the transaction that ends the message.
    func stop(_ address: DeadAddress, in transaction: Transaction) throws
}

extension MessageRoute {
    /// As many as there are.
    package var readiness: RouteReadiness { .ready(.max) }

    /// Keeps no list of dead addresses.
    package func stop(_ address: DeadAddress, in transaction: Transaction) throws {}
}

/// What a route would take.
package enum RouteReadiness: Hashable, Sendable {
    /// So many now.
    case ready(Int)
    /// None before this moment.
    case closed(until: Timestamp)
}

/// A message that is being tried.
package struct OutgoingMessage: Sendable {
    /// The same at every try.
    package let id: MessageID
    /// Which try, from 1.
    package let attempt: Int
    /// When it was accepted; the same at every try.
    package let acceptedAt: Timestamp
    /// From then on it is worth nothing, which some providers can be told.
    package let expiresAt: Timestamp?
    /// The keyed hash of its recipient, by which lists of dead addresses know it.
    package let recipient: [UInt8]
    /// What to send to whom, opened.
    package let content: MessageContent

    /// A message.
    package init(
        id: MessageID, attempt: Int, acceptedAt: Timestamp, expiresAt: Timestamp?,
        recipient: [UInt8], content: MessageContent
    ) {
        self.id = id
        self.attempt = attempt
        self.acceptedAt = acceptedAt
        self.expiresAt = expiresAt
        self.recipient = recipient
        self.content = content
    }
}

/// What a message says and to whom, by channel.
package enum MessageContent: Sendable {
    /// A mail.
    case email(EmailOrder)
    /// A text message.
    case sms(SMSOrder)
    /// A push message to one device.
    case push(PushOrder)

    /// The content whose stored form `bytes` is.
    /// - Throws: `MessageError`, `ServiceError`, `StoredOrderError`.
    init(_ channel: Channel, stored bytes: [UInt8]) throws {
        switch channel {
        case .email: self = .email(try EmailOrder(stored: bytes))
        case .sms: self = .sms(try SMSOrder(stored: bytes))
        case .push: self = .push(try PushOrder(stored: bytes))
        }
    }
}

/// An address, number or device token that a provider calls dead.
package struct DeadAddress: Hashable, Sendable {
    /// Which message found it.
    package let message: MessageID
    /// The keyed hash of it.
    package let recipient: [UInt8]
    /// The word for why.
    package let reason: String
    /// When that message was accepted: an address that was registered anew since is not dead.
    package let acceptedAt: Timestamp
}
