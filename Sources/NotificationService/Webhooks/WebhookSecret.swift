import Cryptography
import ServiceRuntime

/// What signs the events of one webhook. Receivers see it as `whsec_` and Base64.
struct WebhookSecret: Sendable {
    /// As Standard Webhooks asks: 24 to 64 random bytes.
    static let byteCount = 32
    private static let prefix = "whsec_"

    let bytes: [UInt8]
    private let hash: KeyedHash

    /// The secret of these bytes.
    init(bytes: [UInt8]) {
        self.bytes = bytes
        hash = KeyedHash(key: SecretBytes(copying: bytes))
    }

    /// A new one.
    static func drawn(from randomness: any Randomness) -> WebhookSecret {
        WebhookSecret(bytes: randomness.bytes(byteCount))
    }

    /// As its receiver is told.
    var text: String { Self.prefix + Base64.encode(bytes) }

    /// `v1,…`: HMAC-SHA-256 over id, time and body. With the time signed, who has captured a
    /// request cannot send it again after the receiver's tolerance; with the id, a receiver that
    /// keeps ids takes it once.
    ///
    /// Source: Standard Webhooks 1.0, "Signature scheme".
    func signature(id: String, seconds: Int64, body: [UInt8]) -> String {
        "v1," + Base64.encode(hash.hash(Array("\(id).\(seconds).".utf8) + body))
    }
}
