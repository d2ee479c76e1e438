import Addresses
import Contracts
import Cryptography
import JSON
import Messages
import ServiceRuntime
import Storage

/// The order for a notice's push message and text, as one message of the outbox (N-07). Its delivery
/// asks for the push, and for the text only if the answer names no message: no device took it. Each
/// has a key of its own, which is derived from the order's, and notification answers a repeat of the
/// first call as it answered that. So a delivery that is repeated from its start, after a crash at
/// any step, decides as before and sends nothing twice.
struct NoticeOrder: Hashable, Sendable {
    /// Shorter than notification remembers a key (7 days): a repeat of the first call is one.
    static let life: Duration = .seconds(3 * 24 * 3_600)

    /// Nil for none.
    let push: NotificationV1.SendPushRequest?
    /// Nil for none.
    let text: NotificationV1.SendTextRequest?

    /// - Parameters:
    ///   - number: The recipient of a text.
    ///   - session: The session whose devices get no push, "ses_…"; empty for none.
    ///   - expiresAt: Nothing is sent after this time; nil for `life`.
    /// - Throws: as `Mail`.
    init(
        _ template: MailTemplate, _ route: NoticeRoute, to row: AccountRow, number: PhoneNumber?,
        _ event: EventValues, except session: String, at now: Timestamp,
        until expiresAt: Timestamp?
    ) throws {
        let life = now + Self.life
        let until = min(expiresAt ?? life, life).milliseconds
        if let push = template.push, route.isPushed {
            self.push = NotificationV1.SendPushRequest(
                accountId: row.account.text, template: push.rawValue, language: row.language,
                variables: try event.whole.filling(push).map(\.message),
                data: [
                    .init(name: "kind", value: push.rawValue),
                    .init(name: "at_ms", value: "\(event.at.milliseconds)"),
                ],
                expiresAtMs: until, exceptSessionId: session)
        } else {
            push = nil
        }
        if let text = template.text, let number, route.isTexted {
            self.text = NotificationV1.SendTextRequest(
                recipient: number.text, template: text.rawValue, language: row.language,
                variables: try event.whole.filling(text).map(\.message), expiresAtMs: until,
                accountId: row.account.text)
        } else {
            text = nil
        }
    }

    /// Nothing is sent after this time, in milliseconds since 1970; 0 for no expiry.
    var expiresAtMs: Int64 { push?.expiresAtMs ?? text?.expiresAtMs ?? 0 }

    /// The account, "acc_…".
    var account: String { push?.accountId ?? text?.accountId ?? "" }
}

extension NoticeOrder {
    /// The outbox message, sealed, because it contains a number and a device's name.
    /// - Throws: when sealing the payload fails.
    func message(key: String, _ keys: IdentityKeys) throws -> OutboxMessage {
        var object: JSONObject = [:]
        if let push { _ = object.add("push", .string(Base64URL.encode(push.encoded()))) }
        if let text { _ = object.add("text", .string(Base64URL.encode(text.encoded()))) }
        let topic = OutboxTopic.notice
        return OutboxMessage(
            topic: topic.rawValue, key: key,
            payload: try keys.outbox.seal(
                Array(JSONWriter.text(object).utf8), at: SealedPlace(outbox: topic.rawValue, key)),
            queue: topic.queue)
    }

    /// Reads the opened payload of `message`.
    /// - Throws: `rpc/internal` if it is malformed: only this service writes it. `MessageError`.
    init(_ payload: [UInt8]) throws {
        guard let object = JSONReader.object(in: payload) else { throw Self.malformed }
        func bytes(_ name: String) throws(ServiceError) -> [UInt8]? {
            guard let text = object[name]?.string else { return nil }
            guard let bytes = Base64URL.decode(text.utf8) else { throw Self.malformed }
            return bytes
        }
        push = try bytes("push").map { try NotificationV1.SendPushRequest(decoding: $0) }
        text = try bytes("text").map { try NotificationV1.SendTextRequest(decoding: $0) }
    }

    private static var malformed: ServiceError {
        ServiceError(.internalError, detail: "the order of a notice is malformed")
    }
}
