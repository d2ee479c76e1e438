import Contracts
import Cryptography
import JSON
package import Logging
package import Outbound
package import ServiceRuntime

/// Apple's two endpoints for grants.
package struct AppleEndpoint: GrantEndpoint {
    private let key: AppleKey
    private let redirects: GrantRedirects
    private let requests: GrantRequests
    private let time: any Time

    /// The endpoints at the URL of `key`.
    /// - Parameter timeout: For one request. Only the outbox relay waits for it.
    package init(
        key: AppleKey, redirects: GrantRedirects, client: OutboundClient, trustFile: String?,
        timeout: Duration, time: any Time, logger: Logger
    ) {
        self.key = key
        self.redirects = redirects
        self.time = time
        requests = GrantRequests(
            to: .apple, client: client, trustFile: trustFile, timeout: timeout, time: time,
            logger: logger)
    }

    /// The key is the team's, so it is good for all of its apps.
    func exchanges(codesOf client: String) -> Bool { true }

    /// With the app's `redirect_uri` if it has one.
    func exchange(code: String, client: String) async throws -> GrantAnswer.Exchange {
        let outcome = try await post(
            "/auth/token", client: client,
            [("grant_type", "authorization_code"), ("code", code)]
                + (redirects.place(of: client).map { [("redirect_uri", $0)] } ?? []))
        return GrantAnswer.exchange(outcome, client: client)
    }

    func revoke(token: String, client: String) async throws -> GrantAnswer.Revocation {
        let outcome = try await post(
            "/auth/revoke", client: client,
            [("token", token), ("token_type_hint", "refresh_token")])
        return GrantAnswer.revocation(outcome)
    }

    private func post(
        _ path: String, client app: String, _ fields: [(name: String, value: String)]
    ) async throws -> HTTPOutcome {
        guard let url = key.url.at(path) else {
            throw ServiceError(.internalError, detail: "apple-url and the path form no URL")
        }
        let secret = try ClientSecret.text(key, client: app, at: time.now())
        return try await requests.post(
            url, [("client_id", app), ("client_secret", secret)] + fields)
    }
}

extension AppleEndpoint {
    /// The JWT that authenticates the operator to Apple. Each request gets a new one: signing takes
    /// microseconds, and no secret is kept.
    /// Source: Apple, "Creating a client secret"
    enum ClientSecret {
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
}
