package import Cryptography
package import Outbound
import ServiceRuntime

/// Text messages by an operator's own web service, for a provider that this program does not know.
///
/// It gets a POST with a JSON object: `id` ("msg_…", the same at every try, so that it can drop a
/// doubled one; also the header `idempotency-key`), `to` (E.164), `text`, and `expires_at_ms` where
/// the message has an end; signed (`WebhookSignature`). It answers
///
/// | status | means |
/// |---|---|
/// | 2xx | taken; an object with `"number_changed": true` says that the number has changed lately |
/// | 410 | the number is dead |
/// | 422 | this text will never be sent |
/// | 400, 403, 404 | not this text now; `retry-after` is obeyed |
/// | anything else | nothing now: after some of these the service is left alone for a while |
package struct WebhookSMS: SMSProvider {
    let gate: ProviderGuard
    private let http: ProviderHTTP
    private let url: HTTPURL
    private let signature: WebhookSignature

    /// The service at `url`, which knows `secret`.
    package init(url: HTTPURL, secret: SecretBytes, http: ProviderHTTP, gate: ProviderGuard) {
        self.url = url
        self.http = http
        self.gate = gate
        signature = WebhookSignature(secret: secret)
    }

    func send(_ text: OutgoingText) async -> ProviderAnswer {
        var object: JSONObject = [
            "id": .string(text.id.text), "to": .string(text.recipient), "text": .string(text.text),
        ]
        if let expiresAt = text.expiresAt {
            _ = object.add("expires_at_ms", .integer(expiresAt.milliseconds))
        }
        let body = Array(JSONWriter.text(object).utf8)
        let now = http.time.now()
        guard let key = HTTPHeader("idempotency-key", text.id.text),
            let signed = signature.headers(of: body, at: now)
        else { return .failed("sms-webhook-invalid", retryAfter: nil) }
        switch await http.post(url, [.json, key] + signed, body) {
        case .failed(let failure): return ProviderAnswer("sms-webhook", failure)
        case .answered(let response): return Self.answer(response, at: now)
        }
    }

    /// What the service's word means.
    static func answer(_ response: HTTPResponse, at now: Timestamp) -> ProviderAnswer {
        let reason = "sms-webhook-\(response.status)"
        switch response.status {
        case 200...299:
            let object = ProviderHTTP.object(in: response)
            return object?["number_changed"] == .boolean(true) ? .takenForChangedNumber : .taken
        case 410: return .addressIsDead(reason, since: nil)
        case 422: return .refused(reason)
        default: return ProviderAnswer(unlisted: reason, response, at: now)
        }
    }
}
