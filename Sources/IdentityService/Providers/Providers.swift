package import Logging
package import Messages
import Outbound
package import ServiceRuntime

/// The configured providers: the token check, and the nonces for it (G-04, G-05).
package struct Providers: Sendable {
    /// Running and waiting JWKS requests. Each provider has at most one, and they share a thread.
    private static let transfersMax = 2 * ProvidersSettings.countMax

    /// Verifies tokens.
    let check: ProviderTokenCheck
    /// Issues and validates nonces.
    let nonces: Nonces

    /// The providers of `settings`.
    /// - Throws: `OutboundClient.Unavailable`.
    package init(
        settings: ProvidersSettings, keys: IdentityKeys, time: any Time,
        randomness: any Randomness, logger: Logger
    ) throws {
        let nonces = Nonces(key: keys.nonces, time: time, randomness: randomness)
        let sources = try Self.sources(settings) { name, fetch in
            JWKSCache(
                name: name, fetch: fetch, time: time, randomness: randomness, logger: logger)
        }
        check = ProviderTokenCheck(
            sources: sources, nonces: nonces, time: time,
            refusals: ProviderTokenRefusals(
                providers: sources.map(\.provider.name), time: time, logger: logger))
        self.nonces = nonces
    }

    /// Without any provider, no thread for requests is started either.
    private static func sources(
        _ settings: ProvidersSettings,
        keys: (String, @escaping @Sendable () async -> JWKSFetcher.Outcome) -> JWKSCache
    ) throws -> [ProviderTokenCheck.Source] {
        guard !settings.providers.isEmpty else { return [] }
        let client = try OutboundClient(
            limits: .init(transfersMax: transfersMax, connectionsMax: transfersMax))
        return settings.providers.map { provider in
            let fetch = JWKSFetcher(
                location: provider.jwksLocation, issuer: provider.issuer, client: client,
                terms: settings.terms, allowsPlain: settings.allowsPrivate)
            return ProviderTokenCheck.Source(
                provider: provider, keys: keys(provider.name) { await fetch.run() })
        }
    }

    /// A provider by its name.
    /// - Throws: `auth/operation-not-allowed` when no provider of that name is configured.
    func provider(named name: String) throws(ServiceError) -> Provider {
        try check.source(named: name).provider
    }
}

extension Providers {
    /// Issues a nonce, for benchmarks of the token check.
    /// - Throws: `auth/operation-not-allowed` when no provider of that name is configured.
    package func issueNonce(for name: String) throws -> String {
        try nonce(forProvider: name).nonce
    }

    /// Verifies a token as a sign-in does and writes nothing, for benchmarks.
    /// - Returns: the subject that it proves.
    /// - Throws: as `ProviderTokenCheck.identity`.
    package func subject(provedBy token: GatewayV1.ProviderToken) async throws -> String {
        try await check.identity(provedBy: token).subject
    }
}
