import Cryptography
import ServiceRuntime

/// The secret that signs the events of one webhook. Receivers see it as `whsec_` and Base64.
struct WebhookSecret: Sendable {
    /// Standard Webhooks requires 24 to 64 random bytes.
    static let byteCount = 32
    private static let prefix = "whsec_"

    let bytes: [UInt8]
    private let hash: KeyedHash

    /// A secret of these bytes.
    init(bytes: [UInt8]) {
        self.bytes = bytes
        hash = KeyedHash(key: SecretBytes(copying: bytes))
    }

    /// A new random secret.
    static func drawn(from randomness: any Randomness) -> WebhookSecret {
        WebhookSecret(bytes: randomness.bytes(byteCount))
    }

    /// The form that its receiver uses.
    var text: String { Self.prefix + Base64.encode(bytes) }

    /// `v1,…`: HMAC-SHA-256 over id, time and body. Because the time is signed, an attacker who has
    /// captured a request cannot replay it after the receiver's tolerance. Because the id is
    /// signed, a receiver that stores ids can drop replays before that.
    ///
    /// Source: Standard Webhooks 1.0, "Signature scheme".
    func signature(id: String, seconds: Int64, body: [UInt8]) -> String {
        "v1," + Base64.encode(hash.hash(Array("\(id).\(seconds).".utf8) + body))
    }
}
