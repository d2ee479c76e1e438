import Outbound
import ServiceRuntime

/// Posts one event to one receiver.
struct WebhookSender: Sendable {
    /// The most that is read of an answer, in bytes. Its content is ignored.
    private static let answerBytesMax = 16 * 1_024

    let client: OutboundClient
    let targets: WebhookTargets
    let timeout: Duration
    let trustFile: String?
    let time: any Time

    /// Makes one attempt.
    func send(_ delivery: WebhookDelivery, to webhook: Webhook) async -> WebhookRetryRule.Outcome {
        let (event, now) = (delivery.event, time.now())
        let body = Self.body(of: event)
        guard let url = targets.url(webhook.url),
            let headers = Self.headers(of: event, body, to: webhook, at: now)
        else {
            return .failed("the URL is no longer allowed", retryAfter: nil)
        }
        let outcome = await client.fetch(
            HTTPRequest(.post(body), url, headers: headers),
            HTTPTerms(
                addresses: targets.addresses, trustFile: trustFile, timeout: timeout,
                bodyBytesMax: Self.answerBytesMax, redirectsMax: 0))
        switch outcome {
        case .answered(let answer) where answer.isSuccess: return .taken
        case .answered(let answer) where answer.status == 410: return .gone
        case .answered(let answer):
            return .failed(
                "it answered \(answer.status)", retryAfter: answer.retryAfter(at: time.now()))
        // An answer that is too long counts as a failure too.
        case .failed(let failure): return .failed(failure.words, retryAfter: nil)
        }
    }

    /// The header fields of an event, in the form of Standard Webhooks. The id is the same at every
    /// attempt, so a receiver that stores ids can drop duplicates. Never nil in practice, because
    /// all three values are printable ASCII.
    private static func headers(
        of event: StoredEvent, _ body: [UInt8], to webhook: Webhook, at now: Timestamp
    ) -> [HTTPHeader]? {
        let (id, seconds) = (event.id.text, now.seconds)
        let signatures = webhook.secrets(at: now)
            .map { $0.signature(id: id, seconds: seconds, body: body) }
            .joined(separator: " ")
        let fields = [
            HTTPHeader("webhook-id", id), HTTPHeader("webhook-timestamp", String(seconds)),
            HTTPHeader("webhook-signature", signatures),
        ].compactMap { $0 }
        return fields.count == 3 ? [.json] + fields : nil
    }

    /// `{"type":…,"timestamp":…,"data":{…}}`. Every text in it is a name, an id or a time, none of
    /// which contains a character that JSON escapes (`ServiceEvent`).
    private static func body(of event: StoredEvent) -> [UInt8] {
        var data = ["\"position\":\(event.position)"]
        if let account = event.account { data.append("\"account_id\":\"\(account.text)\"") }
        if let session = event.session { data.append("\"session_id\":\"\(session.text)\"") }
        if let outcome = event.outcome { data.append("\"outcome\":\"\(outcome)\"") }
        if let attempt = event.attempt { data.append("\"attempt\":\(attempt)") }
        if let detail = event.detail { data.append("\"detail\":\"\(detail)\"") }
        if let country = event.country { data.append("\"country\":\"\(country)\"") }
        if let agent = event.agent { data.append("\"agent\":\"\(agent)\"") }
        let text = """
            {"type":"\(event.kind)","timestamp":"\(event.at.text)",\
            "data":{\(data.joined(separator: ","))}}
            """
        return Array(text.utf8)
    }
}

extension TransferFailure {
    /// In words, for the list of webhooks and the log.
    fileprivate var words: String {
        switch self {
        case .addressForbidden:
            "its name resolves to a private address, which webhook-targets=public does not allow"
        case .busy: "too many requests run at the same time"
        case .cancelled, .closed: "the service stopped before it answered"
        case .interrupted: "the connection broke, or its answer is not HTTP"
        case .loginRefused: "it refused the login"
        case .notEncrypted: "TLS failed: its certificate is not valid for its name, or not trusted"
        case .redirected: "it redirects, and redirects are not followed"
        case .timedOut: "it did not answer in time"
        case .tooLarge: "its answer is too long"
        case .unreachable: "its host refuses the connection, or cannot be reached"
        case .unresolved: "its name does not resolve"
        case .invalid: "the request could not be made"
        }
    }
}
