import Outbound
import ServiceRuntime

/// An event on its way to a receiver, as Standard Webhooks has it: the id is the same at every try,
/// so a receiver that keeps ids takes it once.
struct WebhookRequest: Sendable {
    let id: String
    let body: [UInt8]
    let seconds: Int64
    let signatures: String

    /// The request that tells of `event` at `now`.
    init(_ event: KeptEvent, to webhook: Webhook, at now: Timestamp) {
        id = event.id.text
        let body = Self.body(of: event)
        self.body = body
        let (id, seconds) = (id, now.seconds)
        self.seconds = seconds
        signatures = webhook.secrets(at: now)
            .map { $0.signature(id: id, seconds: seconds, body: body) }
            .joined(separator: " ")
    }

    /// The header fields; nil never happens, since all three are printable ASCII.
    var headers: [HTTPHeader]? {
        let fields = [
            HTTPHeader("webhook-id", id), HTTPHeader("webhook-timestamp", String(seconds)),
            HTTPHeader("webhook-signature", signatures),
        ].compactMap { $0 }
        return fields.count == 3 ? [.json] + fields : nil
    }

    /// `{"type":…,"timestamp":…,"data":{…}}`. Every text in it is a name, an id or a time, none of
    /// which has a character that JSON escapes (`ServiceEvent`).
    private static func body(of event: KeptEvent) -> [UInt8] {
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

/// An event as it is kept for webhooks.
struct KeptEvent: Hashable, Sendable {
    /// Its place among all that are kept.
    let position: Int64
    let id: EventID
    let at: Timestamp
    let kind: String
    let account: AccountID?
    let session: SessionID?
    let outcome: String?
    let attempt: Int64?
}
