import Contracts
import Logging
import Outbound
import ServiceRuntime

/// A provider's two endpoints for grants (G-04, G-05): one exchanges a code for a refresh token, the
/// other revokes a refresh token.
protocol GrantEndpoint: Sendable {
    /// Whether the operator has configured credentials for codes of the app `client`.
    func exchanges(codesOf client: String) -> Bool

    /// Exchanges a code that the provider issued to the app `client`.
    /// - Throws: `auth/provider-unavailable` without credentials for `client`, or if `GrantGuard`
    ///   rejects the call.
    func exchange(code: String, client: String) async throws -> GrantAnswer.Exchange

    /// Revokes a grant. This revokes the person's whole consent to the app.
    /// - Throws: `auth/provider-unavailable` if `GrantGuard` rejects the call.
    func revoke(token: String, client: String) async throws -> GrantAnswer.Revocation
}

/// The endpoints of the providers for which the operator has configured credentials.
package struct GrantEndpoints: Sendable {
    /// No provider's: codes are ignored, and revocations wait for credentials.
    package static let none = GrantEndpoints([:])

    private let endpoints: [BuiltInProvider: any GrantEndpoint]

    init(_ endpoints: [BuiltInProvider: any GrantEndpoint]) {
        self.endpoints = endpoints
    }

    /// Whether a code is exchanged. One for which there are no credentials is ignored: it would
    /// expire in the outbox, with a warning in the log for each sign-in.
    func exchange(_ code: GrantCode) -> Bool {
        endpoints[code.provider]?.exchanges(codesOf: code.client) ?? false
    }

    /// The endpoint of a provider.
    /// - Throws: `auth/provider-unavailable` without credentials: the order is retried, since the
    ///   operator may configure them again.
    func endpoint(of provider: BuiltInProvider) throws(ServiceError) -> any GrantEndpoint {
        guard let endpoint = endpoints[provider] else {
            throw ServiceError(
                .providerUnavailable, detail: "no credentials are set for \(provider.rawValue)")
        }
        return endpoint
    }
}

extension IdentitySettings {
    /// The endpoints for grants.
    /// - Throws: `OutboundClient.Unavailable`.
    func makeGrantEndpoints(time: any Time, logger: Logger) throws -> GrantEndpoints {
        var endpoints: [BuiltInProvider: any GrantEndpoint] = [:]
        endpoints[.apple] = try apple.makeEndpoint(for: providers, time: time, logger: logger)
        endpoints[.google] = try google.makeEndpoint(for: providers, time: time, logger: logger)
        return GrantEndpoints(endpoints)
    }
}

/// Posts forms to a provider's endpoints for grants.
struct GrantRequests: Sendable {
    /// Of a response body; Apple's and Google's have about 2 KiB.
    private static let answerBytesMax = 16 * 1_024

    private let client: OutboundClient
    private let terms: HTTPTerms
    private let gate: GrantGuard

    /// - Parameter timeout: For one request. Only the outbox relay waits for it.
    init(
        to provider: BuiltInProvider, client: OutboundClient, trustFile: String?,
        timeout: Duration, time: any Time, logger: Logger
    ) {
        self.client = client
        gate = GrantGuard(provider, time: time, logger: logger)
        // The operator configures the URL, so every address is allowed; a POST with a secret
        // follows no redirect.
        terms = HTTPTerms(
            addresses: .any, trustFile: trustFile, timeout: timeout,
            bodyBytesMax: Self.answerBytesMax, redirectsMax: 0)
    }

    /// A client for the requests to one provider.
    /// - Throws: `OutboundClient.Unavailable`.
    static func makeClient() throws -> OutboundClient {
        // Running and waiting requests; `GrantGuard` allows fewer.
        let transfersMax = 2 * GrantGuard.callsMax
        return try OutboundClient(
            limits: .init(transfersMax: transfersMax, connectionsMax: transfersMax))
    }

    /// Posts a form.
    /// - Throws: `auth/provider-unavailable` if `GrantGuard` rejects the call; `CancellationError`.
    func post(
        _ url: HTTPURL, _ fields: [(name: String, value: String)]
    ) async throws -> HTTPOutcome {
        let body = FormBody.encode(fields)
        return try await gate.run {
            let outcome = await client.fetch(
                HTTPRequest(.post(body), url, headers: [.form]), terms)
            switch outcome {
            // Cancelled on our side, so it says nothing about the provider.
            case .failed(.cancelled), .failed(.closed): throw CancellationError()
            case .failed, .answered:
                return (outcome, GrantAnswer.isHealthy(outcome) ? .answered : .failed)
            }
        }
    }
}

extension HTTPURL {
    /// The URL of a provider's endpoint for grants; nil for another text. Requests there carry the
    /// operator's secret and grants. Plain HTTP is allowed only on loopback, for tests.
    static func ofGrants(_ text: String) -> HTTPURL? {
        HTTPURL(text, allowsPlain: true).flatMap { url in
            url.isEncrypted || ["127.0.0.1", "[::1]", "localhost"].contains(url.host) ? url : nil
        }
    }
}
