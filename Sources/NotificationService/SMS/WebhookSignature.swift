import Cryptography
import Outbound
import ServiceRuntime

/// Proves to the receiver that a request comes from us and is recent. It consists of two headers,
/// `postern-timestamp` (seconds since 1970) and `postern-signature`:
///
///     v1=hex(HMAC-SHA-256(secret, timestamp "." body))
///
/// A receiver compares in constant time and rejects a timestamp that differs by more than five
/// minutes, so that a captured request cannot be replayed later.
struct WebhookSignature: Sendable {
    private let hash: KeyedHash

    init(secret: SecretBytes) {
        hash = KeyedHash(key: secret)
    }

    /// The two headers for `body`; nil if a value cannot be a header.
    func headers(of body: [UInt8], at now: Timestamp) -> [HTTPHeader]? {
        let timestamp = "\(now.seconds)"
        let signature = Hex.encode(hash.hash(Array("\(timestamp).".utf8) + body))
        guard let first = HTTPHeader("postern-timestamp", timestamp),
            let second = HTTPHeader("postern-signature", "v1=\(signature)")
        else { return nil }
        return [first, second]
    }
}
