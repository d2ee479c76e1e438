import Contracts
import Cryptography
import Logging
import Outbound
import ServiceRuntime

/// Google's two endpoints for grants. A revocation needs no secret.
/// Source: Google, "Using OAuth 2.0 for Web Server Applications"
struct GoogleEndpoint: GrantEndpoint {
    private let settings: GoogleSettings
    private let requests: GrantRequests

    /// The endpoints at the URLs of `settings`.
    init(
        settings: GoogleSettings, client: OutboundClient, trustFile: String?, timeout: Duration,
        time: any Time, logger: Logger
    ) {
        self.settings = settings
        requests = GrantRequests(
            to: .google, client: client, trustFile: trustFile, timeout: timeout, time: time,
            logger: logger)
    }

    func exchanges(codesOf client: String) -> Bool { settings.secrets.of(client) != nil }

    /// Google requires `redirect_uri` in each request; it is empty for the code of an app without
    /// one.
    func exchange(code: String, client: String) async throws -> GrantAnswer.Exchange {
        guard let secret = settings.secrets.of(client) else {
            throw ServiceError(
                .providerUnavailable, detail: "google-client-secrets lacks a client of a code")
        }
        let outcome = try await requests.post(
            settings.tokenURL,
            [
                ("client_id", client),
                ("client_secret", secret.withBytes { String(decoding: $0, as: UTF8.self) }),
                ("grant_type", "authorization_code"), ("code", code),
                ("redirect_uri", settings.redirects.place(of: client) ?? ""),
            ])
        return GrantAnswer.exchange(outcome, client: client)
    }

    func revoke(token: String, client: String) async throws -> GrantAnswer.Revocation {
        GrantAnswer.revocation(try await requests.post(settings.revokeURL, [("token", token)]))
    }
}
