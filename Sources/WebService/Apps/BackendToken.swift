import Cryptography
import JSON
import Messages
import ServiceRuntime

/// The token of a backend in `x-postern-app`: a JWT that its application key signed for one method
/// and body. The web service has no keys of applications; the gateway verifies the signature, the
/// audience, the end and the method. Only here is the body known as it was sent.
struct BackendToken: Sendable {
    /// Metadata of a call have 8 KiB in all. A token has about 400 bytes.
    private static let bytesMax = 2_048
    private typealias Rule = ApplicationToken.Refusal

    /// The claim `bh`, decoded: the SHA-256 of the body. Nil where it is absent.
    let bodyHash: [UInt8]?
    private let method: String
    private let expiresAt: Timestamp

    /// Reads the claims `exp` and `method`, and `bh` if it is there. Nil for any other text.
    init?(_ text: String) {
        guard let claims = TokenPayload.claims(of: text, bytesMax: Self.bytesMax),
            let method = claims["method"]?.string, let expiresAt = claims["exp"]?.integer
        else { return nil }
        bodyHash = claims["bh"]?.string.flatMap { Base64URL.decode($0.utf8) }
        guard (bodyHash == nil) == (claims["bh"] == nil) else { return nil }
        self.expiresAt = Timestamp(milliseconds: 0) + .seconds(min(max(expiresAt, 0), 1 << 40))
        self.method = method
    }

    /// Why it is not valid now for a call of `method`, as a rule and a sentence; nil if it is. The
    /// gateway checks the same, with the same leeway, and relies on itself only; this saves the way
    /// there.
    /// - Parameter bindsBody: Whether it must name the request's body.
    func refusal(
        method called: SchemaMethod, bindsBody: Bool, at now: Timestamp
    ) -> (rule: String, sentence: String)? {
        if method != called.name {
            return (
                Rule.method.rawValue,
                "The token's method is not \(called.name), the method that is called."
            )
        }
        if bindsBody, bodyHash == nil, !called.hasRequestItems, !called.hasResponseItems {
            return (
                Rule.body.rawValue,
                "The token has no bh, the base64url of the SHA-256 of the body as sent."
            )
        }
        return now < expiresAt + TokenVerifier.leeway
            ? nil : (Rule.expired.rawValue, "The token has expired; sign one for each call.")
    }
}

/// The payload of a token. Nothing in it is verified here: the gateway does that.
enum TokenPayload {
    /// The claims; nil for a text that is no JSON Web Token of at most `bytesMax` bytes.
    static func claims(of token: String, bytesMax: Int = TokenVerifier.bytesMax) -> JSONObject? {
        // `try?`: why a text is no token makes no difference here.
        (try? CompactToken(token, bytesMax: bytesMax))
            .flatMap { TokenClaims.object(in: $0.payload) }
    }
}
