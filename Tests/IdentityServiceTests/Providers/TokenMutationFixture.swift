import Cryptography
import JSON
import Messages
import ProviderIssuer
import ServiceRuntime
import TestSupport

/// What mutations need: the providers, and a valid token with its nonce.
struct TokenMutationFixture {
    let providers: ProviderFixture
    /// A nonce for Google.
    let nonce: String
    /// A nonce for Apple.
    let appleNonce: String
    /// The claims of the valid token.
    let claims: IssuedClaims
    /// The valid token and its three parts.
    let good: String
    let parts: [String]
    /// A key that no provider publishes.
    let stranger: IssuerKey

    init(_ providers: ProviderFixture) throws {
        self.providers = providers
        nonce = try providers.nonce().nonce
        appleNonce = try providers.nonce(for: "apple").nonce
        let now = providers.time.now().seconds
        claims = IssuedClaims([
            ("iss", .string(providers.google.issuer)), ("aud", .string(ProviderIssuer.audience)),
            ("iat", .integer(now)), ("exp", .integer(now + 600)), ("sub", .string("117")),
            ("email", .string("ada@example.org")), ("email_verified", .boolean(true)),
            ("nonce", .string(nonce)),
        ])
        good = try providers.google.token(claims)
        parts = good.split(separator: ".").map(String.init)
        stranger = try IssuerKey(.rs256)
    }

    /// The providers' time in seconds.
    var now: Int64 { providers.time.now().seconds }
    /// Google's signing key.
    var key: IssuerKey { providers.google.key }

    /// A part of the valid token without its last bytes.
    func cut(_ part: Int, by count: Int) -> String {
        Base64URL.encode((Base64URL.decode(parts[part].utf8) ?? []).dropLast(count))
    }

    func handIn(_ token: String) -> HandedIn { HandedIn(token: token, nonce: nonce) }

    /// A token with header members added or replaced, signed with the real key.
    func header(_ header: [(String, JSONValue)], by key: IssuerKey? = nil) throws -> HandedIn {
        handIn(try providers.google.token(claims, header: header, key: key))
    }

    /// A token with changed claims, signed with the real key.
    func saying(_ changes: [(String, JSONValue)]) throws -> HandedIn {
        handIn(try providers.google.token(claims.with(changes)))
    }

    /// A token without a claim, signed with the real key.
    func without(_ name: String) throws -> HandedIn {
        handIn(try key.token(claims.without(name).text))
    }

    /// A token with this payload, signed with the real key.
    func payload(_ text: String) throws -> HandedIn { handIn(try key.token(text)) }
}
