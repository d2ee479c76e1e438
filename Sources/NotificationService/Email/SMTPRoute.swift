package import Outbound
import ServiceRuntime

/// Mail through the operator's mail servers (N-01, N-03): the first one that can take it.
///
/// A server whose breaker is open, whose rate is used up, or that has trouble of its own is passed
/// over for the next one in the same try. What a server says about the mail itself holds for all.
package struct SMTPRoute: MailRoute {
    /// A mail server and what stands before it.
    package struct Server: Sendable {
        /// Where it is.
        package let server: SMTPServer
        /// Its breaker and its rate.
        package let gate: ProviderGuard

        /// A server behind its gate.
        package init(_ server: SMTPServer, gate: ProviderGuard) {
            self.server = server
            self.gate = gate
        }
    }

    private let client: SMTPClient
    private let servers: [Server]
    private let timeout: Duration
    private let signer: DKIMSigner?

    /// A route over `client` to `servers`, in their order; each may take `timeout` for one mail.
    /// Mails are signed where there is a signer.
    package init(
        client: SMTPClient, servers: [Server], timeout: Duration, signer: DKIMSigner?
    ) {
        precondition(
            timeout * servers.count <= Delivery.lease - Delivery.waitForTryMax,
            "a try must end before its lease")
        self.client = client
        self.servers = servers
        self.timeout = timeout
        self.signer = signer
    }

    package func deliver(_ mail: MailMessage) async -> DeliveryOutcome {
        let transfer: SMTPMail
        do {
            let bytes = try signer.map { try mail.bytes(signedBy: $0) } ?? mail.bytes
            transfer = try SMTPMail(
                sender: mail.sender.address.text, recipient: mail.recipient.text, message: bytes)
        } catch {
            // Our own rules are stricter, so this is a mistake of ours; it must not be lost.
            return .failed("not-sendable")
        }
        var course = SMTPFailover()
        for server in servers {
            switch server.gate.enter() {
            case .closed(let reason, let until): course.passedOver(reason, until: until)
            case .pass(let pass):
                let answer = await client.send(transfer, to: server.server, timeout: timeout)
                let verdict = MailVerdict(answer)
                server.gate.leave(pass, verdict.breakerOutcome)
                if let outcome = course.judged(verdict) { return outcome }
            }
        }
        return course.outcome
    }

    /// As many as all servers together would take; the first moment of any of them.
    package var readiness: RouteReadiness {
        var room = 0
        var opensAt: Timestamp?
        for server in servers {
            switch server.gate.readiness {
            case .ready(let count): room = room > .max - count ? .max : room + count
            case .closed(let until): opensAt = min(until, opensAt ?? until)
            }
        }
        guard room == 0, let opensAt else { return .ready(room) }
        return .closed(until: opensAt)
    }
}
