import Cryptography
import JSON
import ServiceRuntime

/// The token of a backend in `x-postern-app`: a JWT that its application key signed for one method
/// and body. The web service has no keys of applications; the gateway verifies the signature, the
/// audience, the end and the method. Only here is the body known as it was sent.
struct ApplicationToken: Sendable {
    /// Metadata of a call have 8 KiB in all. A token has about 400 bytes.
    private static let bytesMax = 2_048

    /// The claim `bh`: base64url of the SHA-256 of the body.
    let bodyHash: String
    private let method: String
    private let expiresAt: Int64

    /// Parses three parts of base64url whose second one is a JSON object with the claims `bh`,
    /// `exp` and `method`. Nil for any other text.
    init?(_ text: String) {
        guard text.utf8.count <= Self.bytesMax else { return nil }
        let parts = text.utf8.split(
            separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 3, Base64URL.decode(parts[0]) != nil,
            let payload = Base64URL.decode(parts[1]), Base64URL.decode(parts[2]) != nil,
            let claims = JSONReader.object(in: payload), let bodyHash = claims["bh"]?.string,
            let expiresAt = claims["exp"]?.integer, let method = claims["method"]?.string
        else { return nil }
        self.bodyHash = bodyHash
        self.expiresAt = expiresAt
        self.method = method
    }

    /// Why it is not valid now for a call of `method`; nil if it is. The gateway checks the same
    /// and relies on itself only; this saves the way there.
    func refusal(method called: String, at now: Timestamp) -> String? {
        if method != called {
            return "The token's method is not \(called), the method that is called."
        }
        return expiresAt > now.seconds ? nil : "The token has expired; sign one for each call."
    }

    /// The value of `bh` for a body.
    static func hash(of body: some Collection<UInt8>) -> String {
        Base64URL.encode(SHA256.hash(body))
    }
}
