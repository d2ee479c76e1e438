import RPC
import ServiceRuntime
import Storage

/// The email channel: makes an order into the mail that travels, and hands it to a `MailRoute`.
/// A stopped address gets none, which only the operator is told: whoever asked for the mail was
/// answered as always, or he could find out whose mailbox is gone.
struct MailDelivery: MessageRoute {
    private let sender: Mailbox
    private let templates: Live<TemplateCatalogue>
    private let route: any MailRoute
    private let unsubscribe: UnsubscribeLink?
    private let stops: StoppedAddressList?

    init(
        sender: Mailbox, templates: Live<TemplateCatalogue>, route: any MailRoute,
        unsubscribe: UnsubscribeLink? = nil,
        stops: StoppedAddressList? = nil
    ) {
        self.sender = sender
        self.templates = templates
        self.route = route
        self.unsubscribe = unsubscribe
        self.stops = stops
    }

    func deliver(_ message: OutgoingMessage) async -> DeliveryOutcome {
        guard case .email(let order) = message.content else { return .failed("wrong-channel") }
        do {
            if try await stops?.holds(order.recipient) == true {
                return .refused(SuppressionList.reason, addressIsDead: false)
            }
        } catch {
            // The store says why in its own words; without its answer the address may be dead.
            return .failed("store")
        }
        do {
            let content = try templates.value.mail(
                order.template, language: order.language, product: sender.name,
                values: order.values)
            return await route.deliver(
                MailMessage(
                    id: message.id, date: message.acceptedAt, sender: sender,
                    recipient: order.recipient, content: content,
                    // Nobody ends codes and security notices.
                    unsubscribe: order.lane == .bulk ? unsubscribe : nil))
        } catch {
            // Its variables were checked at the door, so this is a newer program's message, and
            // the operator can go forward again.
            return .failed("unreadable")
        }
    }

    var readiness: RouteReadiness { route.readiness }

    func stop(_ address: DeadAddress, in transaction: Transaction) throws {
        guard stops != nil else { return }
        try transaction.stopAddress(address.recipient, reason: address.reason)
    }
}
