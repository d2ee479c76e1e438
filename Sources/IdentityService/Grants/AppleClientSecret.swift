import Cryptography
import JSON
import ServiceRuntime

/// The JWT that authenticates the operator to Apple. Each request gets a new one: signing takes
/// microseconds, and no secret is kept.
/// Source: Apple, "Creating a client secret"
enum AppleClientSecret {
    /// Apple accepts up to six months; a request takes seconds.
    static let life: Duration = .seconds(300)
    private static let audience = "https://appleid.apple.com"

    /// A client secret for the app `client`.
    /// - Throws: `CryptographyError` if OpenSSL has no memory or no randomness.
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
