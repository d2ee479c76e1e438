import Addresses
import Contracts
import Cryptography
import Messages
import ServiceRuntime
import Storage

/// The text message with a code. Its outbox payload is sealed, because it contains a valid code.
struct PhoneCodeText: Sendable {
    let code: PhoneCode
    let number: PhoneNumber
    /// BCP 47.
    let language: String
    /// The account whose session requested the code; nil for a sign-in, for which no account is
    /// looked up.
    let account: AccountID?
    let expiresAt: Timestamp
    /// How long the code is valid, as the message states it.
    let life: Duration

    /// The outbox message.
    /// - Parameter key: the idempotency key at the notification service.
    /// - Throws: when sealing the payload fails.
    func message(_ keys: IdentityKeys, key: String) throws -> OutboxMessage {
        let request = NotificationV1.SendTextRequest(
            recipient: number.text, template: SMSTemplate.phoneCode.rawValue, language: language,
            variables: [
                .init(name: TemplateVariable.code.rawValue, value: code.digits),
                .init(
                    name: TemplateVariable.minutes.rawValue, value: "\(life.wholeMinutes)"),
            ],
            expiresAtMs: expiresAt.milliseconds, accountId: account?.text ?? "")
        return OutboxMessage(
            topic: OutboxTopic.text.rawValue, key: key,
            payload: try keys.outbox.seal(
                request.encoded(), at: SealedPlace(outbox: OutboxTopic.text.rawValue, key)),
            queue: OutboxTopic.text.queue)
    }
}
