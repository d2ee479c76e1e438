package import Cryptography
import HTTPSink
package import JSON
package import ServiceRuntime
import Synchronization

/// A provider of identities on loopback, for tests: it has keys of its own, publishes them over HTTP
/// as Google and Apple do, signs real tokens, and behaves as badly as a test wants.
///
///     let google = try await ProviderIssuer()
///     let token = try google.token(.google(of: "117", email: "ada@example.org", nonce: nonce))
///     … POSTERN_GOOGLE_* = google.environment(for: "google")
///     await google.close()
package final class ProviderIssuer: Sendable {
    /// How it answers a request for its keys.
    package enum Behaviour: Sendable {
        /// As it should.
        case serving
        /// Not at all, until the peer leaves.
        case stalling
        /// With a byte now and then.
        case dripping
        /// With this status.
        case failing(Int)
        /// With a redirect.
        case redirecting(to: String)
        /// With ten megabytes.
        case huge
        /// With this content.
        case answering(String)
    }

    private struct State {
        var keys: [IssuerKey] = []
        var behaviour = Behaviour.serving
        var cacheControl: String? = "public, max-age=3600"
        var description: String?
    }

    /// What its handler shares with it.
    private final class Shared: Sendable {
        let state = Mutex(State())
        let codes = IssuerCodes()
    }

    /// The client id that its tokens are for where a test says nothing else.
    package static let audience = "client-1"
    /// Where its keys are.
    package static let keysPath = "/keys"

    private let shared: Shared
    private let sink: HTTPSink
    private let time: any Time
    /// What its tokens have as `iss` where a test says nothing else; its address.
    package let issuer: String

    /// Listens on a port that the system picks, with one RSA key; `time` stamps its tokens.
    package init(
        time: any Time = SystemTime(), algorithm: SignatureAlgorithm = .rs256
    ) async throws {
        let shared = Shared()
        let first = try IssuerKey(algorithm)
        shared.state.withLock { $0.keys = [first] }
        self.shared = shared
        self.time = time
        sink = try await HTTPSink { request in Self.answer(request, shared) }
        issuer = "http://127.0.0.1:\(sink.port)"
    }

    /// Stops listening, and returns its keys for the next issuer.
    package func close() async {
        await sink.close()
        shared.state.withLock { $0.keys }.forEach { $0.giveBack() }
    }

    /// Its authorization codes.
    package var codes: IssuerCodes { shared.codes }

    /// The URL of its keys.
    package var keysURL: String { sink.url(Self.keysPath) }

    /// The number of requests for its keys.
    package var keyRequests: Int {
        sink.requests.count { $0.path == Self.keysPath }
    }

    /// The number of all requests.
    package var requests: Int { sink.requests.count }

    /// Returns once it has received that many requests.
    package func reached(requests count: Int) async { await sink.reached(requests: count) }

    /// The key that signs.
    package var key: IssuerKey { shared.state.withLock { $0.keys[$0.keys.count - 1] } }

    /// From now on another key signs.
    /// - Parameter keepsOldKeys: whether those before stay published.
    @discardableResult
    package func rotate(
        to algorithm: SignatureAlgorithm = .rs256, keepsOldKeys: Bool = true
    ) throws -> IssuerKey {
        let key = try IssuerKey(algorithm)
        shared.state.withLock { $0.keys = (keepsOldKeys ? $0.keys : []) + [key] }
        return key
    }

    /// From now on it behaves so.
    package func behave(_ behaviour: Behaviour) {
        shared.state.withLock { $0.behaviour = behaviour }
    }

    /// From now on its keys bear this `cache-control`; nil for none.
    package func cache(_ control: String?) { shared.state.withLock { $0.cacheControl = control } }

    /// From now on its description is this; nil for its own.
    package func describe(_ text: String?) { shared.state.withLock { $0.description = text } }

    /// The key set that it publishes.
    package var keySet: String { shared.state.withLock { Self.keySet($0) } }

    /// A token that says `claims`, from this issuer unless they say otherwise, for ten minutes.
    /// - Parameters:
    ///   - header: members beside `alg`, `typ` and `kid`, or instead of them.
    ///   - key: another than the one that signs.
    package func token(
        _ claims: IssuedClaims, header: [(String, JSONValue)] = [], key: IssuerKey? = nil
    ) throws -> String {
        let now = time.now().seconds
        let whole = IssuedClaims([
            ("iss", .string(issuer)), ("aud", .string(Self.audience)), ("iat", .integer(now)),
            ("exp", .integer(now + 600)),
        ]).with(claims.members)
        return try (key ?? self.key).token(whole.text, header: header)
    }

    /// A security event token of Google's that says `claims` (RFC 8417): without `exp`, and with the
    /// slash at the end of `iss` that Google writes.
    /// - Parameters: As of `token`.
    package func event(
        _ claims: IssuedClaims, header: [(String, JSONValue)] = [("typ", .string("secevent+jwt"))],
        key: IssuerKey? = nil
    ) throws -> String {
        let whole = IssuedClaims([
            ("iss", .string(issuer + "/")), ("aud", .string(Self.audience)),
            ("iat", .integer(time.now().seconds)),
        ]).with(claims.members)
        return try (key ?? self.key).token(whole.text, header: header)
    }

    /// The settings by which a program exchanges codes and revokes grants here instead of at Google.
    /// - Parameter redirect: Of the dialog on the web; nil for none.
    package func googleGrants(redirect: String? = nil) -> [String: String] {
        var settings = [
            "POSTERN_GOOGLE_CLIENT_SECRETS": "\(Self.audience)=\(IssuerCodes.googleSecret)",
            "POSTERN_GOOGLE_TOKEN_URL": sink.url("/token"),
            "POSTERN_GOOGLE_REVOKE_URL": sink.url("/revoke"),
        ]
        settings["POSTERN_GOOGLE_REDIRECT_URIS"] = redirect.map { "\(Self.audience)=\($0)" }
        return settings
    }

    /// The settings by which a program takes this issuer for "google" or "apple".
    package func environment(for provider: String) -> [String: String] {
        let prefix = "POSTERN_\(provider.uppercased())"
        return [
            "\(prefix)_AUDIENCES": Self.audience, "\(prefix)_ISSUER": issuer,
            "\(prefix)_KEYS_URL": keysURL, "POSTERN_PROVIDER_PRIVATE_ADDRESSES": "true",
        ]
    }

    // MARK: Answers

    private static let hugeText = String(repeating: " ", count: 10 << 20)

    private static func answer(_ request: HTTPSink.Request, _ shared: Shared) -> HTTPSink.Answer {
        if IssuerCodes.serves(request.path) { return shared.codes.answer(request) }
        let host = request.headers["host"] ?? ""
        return shared.state.withLock { state in
            switch request.path {
            case "/.well-known/openid-configuration":
                let own = """
                    {"issuer":"http://\(host)","jwks_uri":"http://\(host)\(keysPath)"}
                    """
                return .answer(200, [], body: state.description ?? own)
            case keysPath, "/elsewhere": return keys(state)
            default: return .answer(404)
            }
        }
    }

    private static func keys(_ state: State) -> HTTPSink.Answer {
        switch state.behaviour {
        case .serving:
            let cache = state.cacheControl.map { [("cache-control", $0)] } ?? []
            return .answer(200, cache, body: keySet(state))
        case .stalling: return .stall
        case .dripping: return .drip
        case .failing(let status): return .answer(status)
        case .redirecting(let target): return .answer(302, [("location", target)])
        case .huge: return .answer(200, body: hugeText)
        case .answering(let text): return .answer(200, body: text)
        }
    }

    private static func keySet(_ state: State) -> String {
        JSONWriter.text(["keys": .array(state.keys.map { .object($0.jsonWebKey) })])
    }
}
