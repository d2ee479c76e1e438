import Cryptography
import JSON
package import Logging
package import Outbound
package import ServiceRuntime

/// Apple's two endpoints for grants: one exchanges a code for a refresh token, the other revokes a
/// refresh token.
package struct AppleEndpoint: Sendable {
    /// Of a response body; Apple's have about 2 KiB.
    private static let answerBytesMax = 16 * 1_024

    private let key: AppleKey
    private let redirects: AppleRedirects
    private let client: OutboundClient
    private let terms: HTTPTerms
    private let time: any Time
    private let gate: AppleGuard

    /// The endpoints at the URL of `key`.
    /// - Parameter timeout: For one request. Only the outbox relay waits for it.
    package init(
        key: AppleKey, redirects: AppleRedirects, client: OutboundClient, trustFile: String?,
        timeout: Duration, time: any Time, logger: Logger
    ) {
        self.key = key
        self.redirects = redirects
        self.client = client
        self.time = time
        gate = AppleGuard(time: time, logger: logger)
        // The operator configures the URL, so every address is allowed; a POST with a secret
        // follows no redirect.
        terms = HTTPTerms(
            addresses: .any, trustFile: trustFile, timeout: timeout,
            bodyBytesMax: Self.answerBytesMax, redirectsMax: 0)
    }

    /// Exchanges a code that Apple issued to the app `client`, with that app's `redirect_uri` if it
    /// has one.
    /// - Throws: `auth/provider-unavailable` if `AppleGuard` rejects the call.
    func exchange(code: String, client: String) async throws -> AppleAnswer.Exchange {
        let outcome = try await post(
            "/auth/token", client: client,
            [("grant_type", "authorization_code"), ("code", code)]
                + (redirects.place(of: client).map { [("redirect_uri", $0)] } ?? []))
        return AppleAnswer.exchange(outcome, client: client)
    }

    /// Revokes a grant. This revokes the person's whole consent to the app.
    /// - Throws: `auth/provider-unavailable` if `AppleGuard` rejects the call.
    func revoke(token: String, client: String) async throws -> AppleAnswer.Revocation {
        let outcome = try await post(
            "/auth/revoke", client: client,
            [("token", token), ("token_type_hint", "refresh_token")])
        return AppleAnswer.revocation(outcome)
    }

    private func post(
        _ path: String, client app: String, _ fields: [(name: String, value: String)]
    ) async throws -> HTTPOutcome {
        guard let url = key.url.at(path) else {
            throw ServiceError(.internalError, detail: "apple-url and the path form no URL")
        }
        let secret = try ClientSecret.text(key, client: app, at: time.now())
        let body = FormBody.encode([("client_id", app), ("client_secret", secret)] + fields)
        return try await gate.run {
            let outcome = await client.fetch(
                HTTPRequest(.post(body), url, headers: [.form]), terms)
            switch outcome {
            // Cancelled on our side, so it says nothing about Apple.
            case .failed(.cancelled), .failed(.closed): throw CancellationError()
            case .failed, .answered:
                return (outcome, AppleAnswer.isHealthy(outcome) ? .answered : .failed)
            }
        }
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
