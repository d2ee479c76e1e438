import RPC
import ServiceRuntime

/// The email channel: makes an order into the mail that travels, and hands it to a `MailRoute`.
struct MailDelivery: MessageRoute {
    let sender: Mailbox
    let templates: Live<TemplateCatalogue>
    let route: any MailRoute

    func deliver(_ message: OutgoingMessage) async -> DeliveryOutcome {
        guard case .email(let order) = message.content else { return .failed("wrong-channel") }
        do {
            let content = try templates.value.mail(
                order.template, language: order.language, product: sender.name,
                values: order.values)
            return await route.deliver(
                MailMessage(
                    id: message.id, date: message.acceptedAt, sender: sender,
                    recipient: order.recipient, content: content))
        } catch {
            // Its variables were checked at the door, so this is a newer program's message, and
            // the operator can go forward again.
            return .failed("unreadable")
        }
    }
}
