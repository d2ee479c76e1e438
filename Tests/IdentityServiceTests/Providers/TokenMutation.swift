import Cryptography
import Messages
import ProviderIssuer
import ServiceRuntime
import TestSupport

/// What somebody hands in.
struct HandedIn: Sendable {
    var token: String
    var nonce: String
    var provider = "google"
}

/// What mutations are made of: a scene, and a good token with its nonce.
struct MutationBench {
    let scene: ProviderScene
    /// A nonce for Google.
    let nonce: String
    /// One for Apple.
    let appleNonce: String
    /// What the good token says.
    let claims: IssuedClaims
    /// It and its three parts.
    let good: String
    let parts: [String]
    /// A key that nobody has published.
    let stranger: IssuerKey

    init(_ scene: ProviderScene) throws {
        self.scene = scene
        nonce = try scene.nonce().nonce
        appleNonce = try scene.nonce(for: "apple").nonce
        let now = scene.time.now().seconds
        claims = IssuedClaims([
            ("iss", .string(scene.google.issuer)), ("aud", .string(ProviderIssuer.audience)),
            ("iat", .integer(now)), ("exp", .integer(now + 600)), ("sub", .string("117")),
            ("email", .string("ada@example.org")), ("email_verified", .boolean(true)),
            ("nonce", .string(nonce)),
        ])
        good = try scene.google.token(claims)
        parts = good.split(separator: ".").map(String.init)
        stranger = try IssuerKey(.rs256)
    }

    /// The second at which the scene's time stands.
    var now: Int64 { scene.time.now().seconds }
    /// The key that Google signs with.
    var key: IssuerKey { scene.google.key }

    /// A part of the good token without its last bytes.
    func cut(_ part: Int, by count: Int) -> String {
        Base64URL.encode((Base64URL.decode(parts[part].utf8) ?? []).dropLast(count))
    }

    func handIn(_ token: String) -> HandedIn { HandedIn(token: token, nonce: nonce) }

    /// A token whose header has these members too, or instead, signed by the true key.
    func header(_ header: [(String, JSONValue)], by key: IssuerKey? = nil) throws -> HandedIn {
        handIn(try scene.google.token(claims, header: header, key: key))
    }

    /// A token that says something else, signed by the true key.
    func saying(_ changes: [(String, JSONValue)]) throws -> HandedIn {
        handIn(try scene.google.token(claims.with(changes)))
    }

    /// A token without a claim, signed by the true key.
    func without(_ name: String) throws -> HandedIn {
        handIn(try key.token(claims.without(name).text))
    }

    /// A token of this payload, signed by the true key.
    func payload(_ text: String) throws -> HandedIn { handIn(try key.token(text)) }
}

/// One way to spoil a good token, and how it is refused.
struct TokenMutation: Sendable {
    let name: String
    let code: ErrorCode
    /// One word of the log.
    let word: String
    let make: @Sendable (MutationBench) throws -> HandedIn

    init(
        _ name: String, _ word: String, code: ErrorCode = .invalidProviderToken,
        _ make: @escaping @Sendable (MutationBench) throws -> HandedIn
    ) {
        self.name = name
        self.word = word
        self.code = code
        self.make = make
    }
}
