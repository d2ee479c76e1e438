import Cryptography
package import Logging
package import Outbound
package import ServiceRuntime

/// Apple's two endpoints for grants: a code for a refresh token, and a refresh token to be revoked.
package struct AppleEndpoint: Sendable {
    /// Of an answer; Apple's have about 2 KiB.
    private static let answerBytesMax = 16 * 1_024

    private let key: AppleKey
    private let redirects: AppleRedirects
    private let client: OutboundClient
    private let terms: HTTPTerms
    private let time: any Time
    private let gate: AppleGuard

    /// The endpoints where `key` says.
    /// - Parameter timeout: For one request. Nobody waits for it but the relay.
    package init(
        key: AppleKey, redirects: AppleRedirects, client: OutboundClient, trustFile: String?,
        timeout: Duration, time: any Time, logger: Logger
    ) {
        self.key = key
        self.redirects = redirects
        self.client = client
        self.time = time
        gate = AppleGuard(time: time, logger: logger)
        // The place is the operator's own word; a POST with a secret follows no redirect.
        terms = HTTPTerms(
            addresses: .any, trustFile: trustFile, timeout: timeout,
            bodyBytesMax: Self.answerBytesMax, redirectsMax: 0)
    }

    /// Exchanges a code that Apple gave to the app `client`, with the place that it was sent to
    /// where that app has one.
    /// - Throws: `auth/provider-unavailable` where Apple is left alone for now.
    func exchange(code: String, client: String) async throws -> AppleAnswer.Exchange {
        let outcome = try await post(
            "/auth/token", client: client,
            [("grant_type", "authorization_code"), ("code", code)]
                + (redirects.place(of: client).map { [("redirect_uri", $0)] } ?? []))
        return AppleAnswer.exchange(outcome, client: client)
    }

    /// Revokes a grant: the person's whole consent to the app goes with it.
    /// - Throws: `auth/provider-unavailable` where Apple is left alone for now.
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
            throw ServiceError(.internalError, detail: "no place at Apple's URL")
        }
        let secret = try AppleClientSecret.text(key, client: app, at: time.now())
        let body = FormBody.encode([("client_id", app), ("client_secret", secret)] + fields)
        return try await gate.run {
            let outcome = await client.fetch(
                HTTPRequest(.post(body), url, headers: [.form]), terms)
            switch outcome {
            // Given up by our own end, it says nothing of Apple.
            case .failed(.cancelled), .failed(.closed): throw CancellationError()
            case .failed, .answered:
                return (outcome, AppleAnswer.isHealthy(outcome) ? .answered : .failed)
            }
        }
    }
}
