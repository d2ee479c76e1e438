package import Outbound
import ServiceRuntime

/// Sends mail through the operator's mail servers (N-01, N-03), by the first one that can take it.
///
/// If a server's circuit breaker is open, its rate is used up, or it has trouble of its own, the
/// same attempt goes on with the next server. An answer about the mail itself is final for all
/// servers.
package struct SMTPRoute: MailRoute {
    /// A mail server and its guard.
    package struct Server: Sendable {
        /// Its address and credentials.
        package let server: SMTPServer
        /// Its circuit breaker and rate limit.
        package let gate: ProviderGuard

        /// A server with its guard.
        package init(_ server: SMTPServer, gate: ProviderGuard) {
            self.server = server
            self.gate = gate
        }
    }

    private let client: SMTPClient
    private let servers: [Server]
    private let timeout: Duration
    private let signer: DKIMSigner?

    /// A route over `client` to `servers`, in order of preference. Each may take `timeout` for one
    /// mail. Mails are signed if there is a signer.
    package init(
        client: SMTPClient, servers: [Server], timeout: Duration, signer: DKIMSigner?
    ) {
        precondition(
            timeout * servers.count <= Delivery.lease - Delivery.waitForTryMax,
            "an attempt must end before its lease")
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
            // Our own rules are stricter, so this is a bug. The mail is retried, so that it is not
            // lost.
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

    /// The sum over all servers; if none is ready, the earliest time at which one is.
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
