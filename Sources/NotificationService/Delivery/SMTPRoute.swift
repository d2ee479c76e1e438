package import Outbound

/// Mail through the operator's mail server (N-01).
package struct SMTPRoute: MailRoute {
    private let client: OutboundClient
    private let server: SMTPServer
    private let timeout: Duration

    /// A route over `client` to `server`; a try takes no longer than `timeout`.
    package init(client: OutboundClient, server: SMTPServer, timeout: Duration) {
        precondition(
            timeout <= Delivery.lease - Delivery.waitForTryMax, "a try must end before its lease")
        self.client = client
        self.server = server
        self.timeout = timeout
    }

    package func deliver(_ mail: MailMessage) async -> DeliveryOutcome {
        do {
            let transfer = try SMTPMail(
                sender: mail.sender.address.text, recipient: mail.recipient.text,
                message: mail.bytes)
            return Self.outcome(await client.send(transfer, to: server, timeout: timeout))
        } catch {
            // Our own rules are stricter, so this is a mistake of ours; it must not be lost.
            return .failed("not-sendable")
        }
    }

    /// What the server's word means for the message.
    static func outcome(_ outcome: SMTPOutcome) -> DeliveryOutcome {
        switch outcome {
        case .accepted: .taken
        // RFC 4954, 6: "authenticate" or "encrypt first" is about us and the settings, and the
        // operator can mend them within the message's life.
        case .refused(let answer) where [530, 534, 535, 538].contains(answer.code):
            .failed("smtp-\(answer.code)")
        case .refused(let answer) where answer.code >= 500:
            .refused("smtp-\(answer.code)", addressIsDead: false)
        case .refused(let answer): .failed("smtp-\(answer.code)")
        case .unsupported: .failed("unsupported")
        case .failed(let failure), .unanswered(let failure): .failed(failure.rawValue)
        }
    }
}
