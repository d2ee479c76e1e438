import Cryptography
import Messages
import RPC
import ServiceRuntime

/// Makes a stored message into the mail that travels: opened, checked again, rendered.
struct MailComposer: Sendable {
    let keys: NotificationKeys
    let sender: Mailbox
    let templates: Live<TemplateCatalogue>

    /// The mail; the same bytes each time.
    /// - Throws: `SealedBoxError`, `MessageError`, `ServiceError`, `TemplateMistake`.
    func mail(_ message: StoredMessage) throws -> MailMessage {
        let bytes = try keys.contents.open(message.content, at: .content(of: message.id))
        let order = try EmailOrder(NotificationV1.SendEmailRequest(decoding: bytes))
        let content = try templates.value.mail(
            order.template, language: order.language, product: sender.name, values: order.values)
        return MailMessage(
            id: message.id, date: message.delivery.acceptedAt, sender: sender,
            recipient: order.recipient, content: content)
    }
}
