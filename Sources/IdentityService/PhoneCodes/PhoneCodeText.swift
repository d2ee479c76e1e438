import Contracts
import Cryptography
import Messages
import PhoneNumbers
import RPC
import ServiceRuntime
import Storage

/// The text message that carries a code, in the outbox: sealed, since a code that works stands in it.
struct PhoneCodeText: Sendable {
    /// The template's name at notification.
    private static let template = "phone-code"

    let code: PhoneCode
    let number: PhoneNumber
    /// BCP 47.
    let language: String
    /// Whose session asked; nil for signing in, where nobody has looked whose number it is.
    let account: AccountID?
    let expiresAt: Timestamp
    /// How long the code is good, as the message says it.
    let life: Duration

    /// The message, under a key by which notification knows it again.
    func message(_ parts: IdentityParts, key: String) throws -> OutboxMessage {
        let minutes = max(1, life.milliseconds / 60_000)
        let request = NotificationV1.SendTextRequest(
            recipient: number.text, template: Self.template, language: language,
            variables: [
                .init(name: "code", value: code.digits),
                .init(name: "minutes", value: "\(minutes)"),
            ],
            expiresAtMs: expiresAt.milliseconds, accountId: account?.text ?? "")
        return OutboxMessage(
            topic: OutboxTopic.text.rawValue, key: key,
            payload: try parts.keys.outbox.seal(request.encoded(), at: Self.place(key)),
            queue: OutboxTopic.text.queue)
    }

    /// Where a sealed text belongs.
    static func place(_ key: String) -> SealedPlace { SealedPlace(purpose: "outbox/text/\(key)") }
}

/// Hands text messages from the outbox to notification.
struct PhoneCodeTextDelivery: Sendable {
    let texts: any TextMessagesAPI
    let keys: IdentityKeys
    let time: any Time

    /// How a message ended.
    enum End: Hashable, Sendable {
        /// Notification has it.
        case taken
        /// It can never be sent, or is worth nothing any more.
        case givenUp(String)
    }

    /// - Throws: what may pass; the message is handed over again later.
    func deliver(_ message: OutboxMessage, _ context: CallContext) async throws -> End {
        let payload = try keys.outbox.open(
            message.payload, at: PhoneCodeText.place(message.key))
        let request = try NotificationV1.SendTextRequest(decoding: payload)
        guard request.expiresAtMs > time.now().milliseconds else { return .givenUp("expired") }
        do {
            _ = try await texts.sendText(request, context)
            return .taken
        } catch let error as ServiceError where Self.isFinal(error.code) {
            return .givenUp(error.code.rawValue)
        }
    }

    private static func isFinal(_ code: ErrorCode) -> Bool {
        code == .invalidArgument || code == .idempotencyKeyReused
    }
}
