package import Contracts
import Cryptography
package import Logging
import Messages
import RPC
package import ServiceRuntime
package import Storage

/// What identity has to hear of a number that has changed hands, in the store's outbox:
/// sealed, since a number is personal.
struct NumberChangeWord: Sendable {
    /// The outbox's name for it.
    static let topic = "number-changed"

    /// E.164.
    let number: String
    let toldAt: Timestamp

    /// The message, under a key of the text message that the provider told it for.
    func message(key: String, _ keys: NotificationKeys) throws -> OutboxMessage {
        let request = IdentityV1.NumberChangedRequest(
            phoneNumber: number, toldAtMs: toldAt.milliseconds)
        return OutboxMessage(
            topic: Self.topic, key: key,
            payload: try keys.contents.seal(request.encoded(), at: Self.place(key)))
    }

    /// The request of a message.
    static func request(
        _ message: OutboxMessage, _ keys: NotificationKeys
    ) throws -> IdentityV1.NumberChangedRequest {
        try IdentityV1.NumberChangedRequest(
            decoding: keys.contents.open(message.payload, at: place(message.key)))
    }

    private static func place(_ key: String) -> SealedPlace {
        SealedPlace(purpose: "outbox/number-changed/\(key)")
    }
}

/// Tells identity which numbers have changed, at least once each, whenever it can be reached.
package struct NumberChangeRelay: Sendable {
    /// For one call.
    private static let timeout: Duration = .seconds(10)
    /// Identity keeps a change for so long; an older word is worth nothing.
    private static let worthFor: Duration = .seconds(30 * 86_400)

    private let keys: NotificationKeys
    private let identity: any PhoneSignalsAPI
    private let store: Store
    private let time: any Time
    private let randomness: any Randomness
    private let logger: Logger

    /// A relay of the words in `store`; the only one that reads its outbox.
    package init(
        store: Store, keys: NotificationKeys, identity: any PhoneSignalsAPI, time: any Time,
        randomness: any Randomness, logger: Logger
    ) {
        self.store = store
        self.keys = keys
        self.identity = identity
        self.time = time
        self.randomness = randomness
        self.logger = logger
    }

    /// Works until cancelled or told to shut down.
    package func run() async throws {
        try await OutboxRelay(store: store, time: time, randomness: randomness) { message in
            try await deliver(message)
        }.run()
    }

    /// Returns once identity has it, or it is worth nothing any more.
    func deliver(_ message: OutboxMessage) async throws {
        guard message.topic == NumberChangeWord.topic else {
            // A newer version wrote it; it is for that one to send.
            throw ServiceError(.unknownMethod, detail: "no such outbox topic")
        }
        let request = try NumberChangeWord.request(message, keys)
        let toldAt = Timestamp(milliseconds: request.toldAtMs)
        guard time.now() - toldAt < Self.worthFor else { return giveUp("expired") }
        do {
            _ = try await identity.numberChanged(
                request, CallContext(deadline: time.uptime() + Self.timeout))
        } catch let error as ServiceError where error.status == .invalidArgument {
            giveUp(error.code.rawValue)
        }
    }

    private func giveUp(_ reason: String) {
        logger.error(
            "outbox.delivery.dead", "an outbox message was dropped: it can not be delivered",
            fields: [.topic: .text(NumberChangeWord.topic), .reason: .text(reason)])
    }
}
