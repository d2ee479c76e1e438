import ServiceRuntime

/// Writes text and push messages to the inbox on a machine without providers. Each becomes a mail,
/// so that `postern inbox` shows everything that would have been sent.
struct SMSAndPushInbox: MessageRoute {
    let inbox: MaildirInbox
    let sender: Mailbox
    let wording: CatalogueWording

    func deliver(_ message: OutgoingMessage) async -> DeliveryOutcome {
        guard let page = page(message.content) else { return .failed("unreadable") }
        let text = """
            Date: \(MailDate(message.acceptedAt).text)
            From: \(sender.text)
            To: \(page.recipient)
            Subject: \(page.subject)
            MIME-Version: 1.0
            Content-Type: text/plain; charset=utf-8
            Content-Transfer-Encoding: 8bit

            \(page.text)

            """
        return await inbox.keep(
            Array(text.utf8), of: message.id, acceptedAt: message.acceptedAt)
    }

    private func page(
        _ content: MessageContent
    ) -> (recipient: String, subject: String, text: String)? {
        switch content {
        case .email: return nil
        case .sms(let order):
            guard let words = wording.words(order, product: sender.name.text) else { return nil }
            return (order.recipient, "Text message", words)
        case .push(let order):
            guard let words = wording.words(order, product: sender.name.text) else { return nil }
            let data = order.data.map { "\($0.name)=\($0.value)" }
            return (
                "\(order.maskedRecipient) of \(order.owner.text)",
                "Push message", ([words.title, words.body] + data).joined(separator: "\n")
            )
        }
    }
}
