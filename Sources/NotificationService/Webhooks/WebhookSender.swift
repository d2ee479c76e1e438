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
    func send(_ delivery: WebhookDelivery, to webhook: Webhook) async -> WebhookTry.Outcome {
        let request = WebhookRequest(delivery.event, to: webhook, at: time.now())
        guard let url = targets.url(webhook.url), let headers = request.headers else {
            return .failed("the URL is no longer allowed", retryAfter: nil)
        }
        let outcome = await client.fetch(
            HTTPRequest(.post(request.body), url, headers: headers),
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
        case .failed(let failure): return .failed("\(failure)", retryAfter: nil)
        }
    }
}

/// The addresses to which webhooks may go. By default not into the operator's own network: a URL is
/// typed by anybody who may use the tool, and the machine that connects can reach more than they
/// can (SSRF).
package enum WebhookTargets: String, CaseIterable, Sendable {
    /// `https` to public addresses.
    case `public`
    /// Also `http`, and every address: for receivers on this machine or in a private network.
    case any

    /// The URL, if it is allowed.
    func url(_ text: String) -> HTTPURL? { HTTPURL(text, allowsPlain: self == .any) }

    /// The addresses to which its host name may resolve.
    var addresses: AddressPolicy { self == .any ? .any : .publicOnly }
}

/// An event as a request to a receiver, in the form of Standard Webhooks. The id is the same at
/// every attempt, so a receiver that stores ids can drop duplicates.
struct WebhookRequest: Sendable {
    let id: String
    let body: [UInt8]
    let seconds: Int64
    let signatures: String

    /// The request for `event` at `now`.
    init(_ event: StoredEvent, to webhook: Webhook, at now: Timestamp) {
        id = event.id.text
        let body = Self.body(of: event)
        self.body = body
        let (id, seconds) = (id, now.seconds)
        self.seconds = seconds
        signatures = webhook.secrets(at: now)
            .map { $0.signature(id: id, seconds: seconds, body: body) }
            .joined(separator: " ")
    }

    /// The header fields. Never nil in practice, because all three values are printable ASCII.
    var headers: [HTTPHeader]? {
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
        let text = """
            {"type":"\(event.kind)","timestamp":"\(event.at.text)",\
            "data":{\(data.joined(separator: ","))}}
            """
        return Array(text.utf8)
    }
}

/// An event stored for webhooks.
struct StoredEvent: Hashable, Sendable {
    /// Its position among all stored events.
    let position: Int64
    let id: EventID
    let at: Timestamp
    let kind: String
    let account: AccountID?
    let session: SessionID?
    let outcome: String?
    let attempt: Int64?
}
