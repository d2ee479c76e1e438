import Cryptography
import JSON
import Outbound
import ServiceRuntime

/// Sends text messages through an operator's own web service, for a provider that this program does
/// not support.
///
/// Each message is a POST with a JSON object: `id` ("msg_…", the same at every attempt and also in
/// the header `idempotency-key`, so that the service can drop duplicates), `to` (E.164), `text`,
/// and `expires_at_ms` for a message that expires. The request is signed (`signature`). The
/// service answers:
///
///     2xx             taken; an object with `"number_changed": true` reports that the number has
///                     recently changed hands
///     410             the number is dead
///     422             this text is rejected permanently
///     400, 403, 404   this text is rejected for now; `retry-after` is honoured
///     anything else   the service fails; repeated failures open its circuit breaker
struct WebhookSMS: SMSProvider {
    let providerGuard: ProviderGuard
    private let http: ProviderHTTP
    private let url: HTTPURL
    private let hash: KeyedHash

    /// A service at `url` that shares `secret`.
    init(url: HTTPURL, secret: SecretBytes, http: ProviderHTTP, providerGuard: ProviderGuard) {
        self.url = url
        self.http = http
        self.providerGuard = providerGuard
        hash = KeyedHash(key: secret)
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
            let signed = signature(of: body, at: now)
        else { return .failed("sms-webhook-invalid", retryAfter: nil) }
        switch await http.post(url, [.json, key] + signed, body) {
        case .failed(let failure): return ProviderAnswer("sms-webhook", failure)
        case .answered(let response): return Self.answer(response, at: now)
        }
    }

    /// The meaning of the service's answer.
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

extension WebhookSMS {
    /// The two headers that prove to the receiver that a request comes from us and is recent:
    /// `postern-timestamp` (seconds since 1970) and `postern-signature`:
    ///
    ///     v1=hex(HMAC-SHA-256(secret, timestamp "." body))
    ///
    /// A receiver compares in constant time and rejects a timestamp that differs by more than five
    /// minutes, so that a captured request cannot be replayed later.
    /// - Returns: nil if a value cannot be a header.
    private func signature(of body: [UInt8], at now: Timestamp) -> [HTTPHeader]? {
        let timestamp = "\(now.seconds)"
        let signature = Hex.encode(hash.hash(Array("\(timestamp).".utf8) + body))
        guard let first = HTTPHeader("postern-timestamp", timestamp),
            let second = HTTPHeader("postern-signature", "v1=\(signature)")
        else { return nil }
        return [first, second]
    }
}
