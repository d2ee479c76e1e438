import Cryptography
import ServiceRuntime

/// The token by which Apple knows that it is the operator who asks. Made anew for each request: that
/// takes microseconds, and none is left lying about.
/// Source: Apple, "Creating a client secret"
enum AppleClientSecret {
    /// Apple takes up to six months; a request takes seconds.
    static let life: Duration = .seconds(300)
    private static let audience = "https://appleid.apple.com"

    /// A secret for the app `client`.
    /// - Throws: `CryptographyError` when OpenSSL has no memory or no randomness.
    static func text(_ key: AppleKey, client: String, at now: Timestamp) throws -> String {
        let header: JSONObject = ["alg": .string("ES256"), "kid": .string(key.keyID)]
        let claims: JSONObject = [
            "iss": .string(key.team), "iat": .integer(now.seconds),
            "exp": .integer((now + life).seconds), "aud": .string(audience),
            "sub": .string(client),
        ]
        let message = [header, claims].map { Base64URL.encode(JSONWriter.text($0).utf8) }
            .joined(separator: ".")
        return message + "." + Base64URL.encode(try key.key.sign(message.utf8))
    }
}
