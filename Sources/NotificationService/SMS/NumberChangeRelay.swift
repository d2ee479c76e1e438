import Contracts
import Cryptography
import Logging
import Messages
import RPC
import ServiceRuntime
import Storage

/// Reports to identity, through the store's outbox, that a number has changed hands. The
/// payload is sealed, because a number is personal data.
struct NumberChangeMessage: Sendable {
    /// The outbox topic.
    static let topic = "number-changed"

    /// E.164.
    let number: String
    let reportedAt: Timestamp

    /// The outbox message. `key` is derived from the id of the text message for which the provider
    /// reported the change.
    func message(key: String, _ keys: NotificationKeys) throws -> OutboxMessage {
        let request = IdentityV1.NumberChangedRequest(
            phoneNumber: number, toldAtMs: reportedAt.milliseconds)
        return OutboxMessage(
            topic: Self.topic, key: key,
            payload: try keys.contents.seal(request.encoded(), at: Self.place(key)))
    }

    /// Decodes an outbox message.
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

/// Delivers changed numbers from the outbox to identity, at least once, and retries while identity
/// is unavailable.
struct NumberChangeRelay: Sendable {
    /// The deadline of one call.
    private static let timeout: Duration = .seconds(10)
    /// Identity stores a changed number this long. An older report is useless.
    private static let worthFor: Duration = .seconds(30 * 86_400)

    /// Its outbox has no other reader.
    let store: Store
    let keys: NotificationKeys
    let identity: any PhoneSignalsAPI
    let time: any Time
    let randomness: any Randomness
    let logger: Logger

    /// Runs until cancelled or until a graceful shutdown.
    /// - Throws: Nothing; `OutboxRelay.run` declares it.
    func run() async throws {
        try await OutboxRelay(store: store, time: time, randomness: randomness) { message in
            try await deliver(message)
        }.run()
    }

    /// Returns when identity has stored the change or the report has expired.
    /// - Throws: what the call to identity throws, so that the outbox retries; `rpc/unknown-method`
    ///   for a topic of another version; `SealedBoxError` and `MessageError` for a payload that
    ///   cannot be read.
    func deliver(_ message: OutboxMessage) async throws {
        guard message.topic == NumberChangeMessage.topic else {
            // A newer version wrote it and must deliver it.
            throw ServiceError(.unknownMethod, detail: "no such outbox topic")
        }
        let request = try NumberChangeMessage.request(message, keys)
        let reportedAt = Timestamp(milliseconds: request.toldAtMs)
        guard time.now() - reportedAt < Self.worthFor else { return giveUp("expired") }
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
            fields: [.topic: .text(NumberChangeMessage.topic), .reason: .text(reason)])
    }
}
