package import Logging
import Outbound
package import ServiceRuntime

/// The providers that the operator has set up: what checks their tokens, and what makes the nonces
/// for them (G-04, G-05).
package struct Providers: Sendable {
    /// Requests for keys that run or wait: each provider has one at a time, and they share a thread.
    private static let transfersMax = 2 * ProvidersSettings.countMax

    /// Checks tokens.
    let check: ProviderTokenCheck
    /// Makes and reads nonces.
    let nonces: Nonces
    private let named: [String: Provider]

    /// What `settings` set up.
    /// - Throws: `OutboundClient.Unavailable`.
    package init(
        settings: ProvidersSettings, keys: IdentityKeys, time: any Time,
        randomness: any Randomness, logger: Logger
    ) throws {
        let client = try OutboundClient(
            limits: .init(
                transfersMax: Self.transfersMax, connectionsMax: Self.transfersMax))
        let nonces = Nonces(key: keys.nonces, time: time, randomness: randomness)
        let sources = settings.providers.map { provider in
            let fetch = KeySetFetch(
                place: provider.keyPlace, issuer: provider.issuer,
                client: client, terms: settings.terms, allowsPlain: settings.allowsPrivate)
            return ProviderTokenCheck.Source(
                provider: provider,
                keys: ProviderKeys(
                    name: provider.name, fetch: { await fetch.run() }, time: time,
                    randomness: randomness, logger: logger))
        }
        named = Dictionary(
            settings.providers.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        check = ProviderTokenCheck(sources: sources, nonces: nonces, time: time)
        self.nonces = nonces
    }

    /// A provider by its name.
    /// - Throws: `auth/operation-not-allowed` where the operator has set up none of that name.
    func provider(named name: String) throws(ServiceError) -> Provider {
        guard let provider = named[name] else {
            throw ServiceError(.operationNotAllowed, detail: "no such provider is set up")
        }
        return provider
    }
}
