import Outbound
import ServiceRuntime

/// Sends mail through the operator's mail servers (N-01, N-03), by the first one that can take it.
///
/// If a server's circuit breaker is open, its rate is used up, or it fails itself, the
/// same attempt goes on with the next server. An answer about the mail itself is final for all
/// servers.
struct SMTPTransport: MailTransport {
    /// A mail server and its guard.
    struct Server: Sendable {
        /// Its address and credentials.
        let server: SMTPServer
        /// Its circuit breaker and rate limit.
        let providerGuard: ProviderGuard
    }

    private let client: SMTPClient
    private let servers: [Server]
    private let timeout: Duration
    private let signer: DKIMSigner?

    /// A transport over `client` to `servers`, in order of preference. Each may take `timeout` for
    /// one mail. Mails are signed if there is a signer.
    init(
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

    func deliver(_ mail: MailMessage) async -> DeliveryOutcome {
        let transfer: SMTPMail
        do {
            let bytes = try signer.map { try mail.bytes(signedBy: $0) } ?? mail.bytes
            transfer = try SMTPMail(
                sender: mail.sender.address.text, recipient: mail.recipient.text, message: bytes)
        } catch {
            // Our own rules are stricter, so this is a bug. The mail is retried, so that it is not
            // lost.
            return .failed(.notSendable)
        }
        var failover = SMTPFailover()
        for server in servers {
            switch server.providerGuard.enter() {
            case .closed(let reason, let until): failover.skip(reason, until: until)
            case .pass(let pass):
                let answer = await client.send(transfer, to: server.server, timeout: timeout)
                let verdict = MailVerdict(answer)
                server.providerGuard.leave(
                    pass, verdict.breakerOutcome, failure: verdict.serverFailure)
                if let outcome = failover.record(verdict) { return outcome }
            }
        }
        return failover.outcome
    }

    /// The sum over all servers; if none is ready, the earliest time at which one is.
    var readiness: RouteReadiness { .any(of: servers.map(\.providerGuard)) }
}
