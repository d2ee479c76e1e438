import Cryptography
import Outbound
import ServiceRuntime

/// Shows the receiver of a request that it is ours and of now: two headers,
/// `postern-timestamp` (seconds since 1970) and `postern-signature`,
///
///     v1=hex(HMAC-SHA-256(secret, timestamp "." body))
///
/// A receiver compares in constant time, and refuses a timestamp that is off by more than five
/// minutes, so that a copied request is soon worth nothing.
struct WebhookSignature: Sendable {
    private let hash: KeyedHash

    init(secret: SecretBytes) {
        hash = KeyedHash(key: secret)
    }

    /// The two headers for `body`.
    func headers(of body: [UInt8], at now: Timestamp) -> [HTTPHeader]? {
        let timestamp = "\(now.seconds)"
        let signature = Hex.encode(hash.hash(Array("\(timestamp).".utf8) + body))
        guard let first = HTTPHeader("postern-timestamp", timestamp),
            let second = HTTPHeader("postern-signature", "v1=\(signature)")
        else { return nil }
        return [first, second]
    }
}
