import Contracts
import Logging
import ServiceRuntime
import Storage

/// The email channel: renders an order as a mail and passes it to a `MailTransport`. A suppressed
/// address gets no mail. Only the operator can see that: the caller that ordered the mail gets the
/// usual answer, because otherwise an attacker could find out whose mailbox does not exist.
struct EmailRoute: MessageRoute {
    let sender: Mailbox
    let templates: Reloadable<TemplateCatalogue>
    let transport: any MailTransport
    var unsubscribe: UnsubscribeLink?
    let suppressionList: SuppressionList
    /// A broken template concerns all its mails.
    let renderingThrottle: LogThrottle
    let logger: Logger

    func deliver(_ message: OutgoingMessage) async -> DeliveryOutcome {
        guard case .email(let order) = message.content else { return .failed(.wrongChannel) }
        do {
            if try await suppressionList.contains(order.recipient) {
                return .refused(.addressStopped)
            }
        } catch {
            // The store logs the error. Without its answer the address may be suppressed.
            return .failed(.store)
        }
        do throws(TemplateRenderingError) {
            let content = try templates.value.mail(
                order.template, language: order.language, product: sender.name,
                values: order.values)
            return await transport.deliver(
                MailMessage(
                    id: message.id, date: message.acceptedAt, sender: sender,
                    recipient: order.recipient, content: content,
                    // Readers cannot unsubscribe from codes and security notices.
                    unsubscribe: order.lane == .bulk ? unsubscribe : nil))
        } catch {
            logFailedRendering(message, order.template, error)
            return .failed(.notRendered)
        }
    }

    /// The variables were validated on acceptance. So either the operator's subject is too long
    /// with the values of this mail, or the message is from a newer program. The operator can fix
    /// both, so the mail waits.
    private func logFailedRendering(
        _ message: OutgoingMessage, _ template: MailTemplate, _ error: TemplateRenderingError
    ) {
        guard renderingThrottle.allows() else { return }
        logger.error(
            "notification.mail.render.failed", "a mail cannot be made from its template",
            fields: [
                .messageID: .text(message.id.text),
                .detail: .text("\(template.rawValue): \(error)"),
            ])
    }

    var readiness: RouteReadiness { transport.readiness }

    func suppress(_ address: DeadAddress, in transaction: Transaction) throws {
        try transaction.suppressAddress(address.recipient, reason: address.reason)
    }
}

/// What carries a finished mail: mail servers, or the inbox folder of a machine without
/// one.
protocol MailTransport: Sendable {
    /// Makes one attempt, within a bounded time. After cancellation the outcome may be unknown.
    func deliver(_ mail: MailMessage) async -> DeliveryOutcome

    /// How many mails it would take now.
    var readiness: RouteReadiness { get }
}

extension MailTransport {
    /// No limit.
    var readiness: RouteReadiness { .ready(.max) }
}
