import Contracts
import Cryptography
import Outbound
package import ServiceRuntime

/// The operator's settings for providers. Each provider is disabled until it has client ids.
package struct ProvidersSettings: Settings {
    /// The maximum number of providers, including Google and Apple.
    static let countMax = 32

    /// The enabled providers.
    package var providers: [Provider] = []
    /// Whether keys may be fetched from `http` URLs and private addresses.
    package var allowsPrivate = false
    /// PEM file of authorities to trust instead of the system's.
    package var trustFile: String?
    /// Time limit of one request.
    package var timeout: Duration = .seconds(3)

    /// The client ids for which a provider's tokens are accepted; empty when it is disabled.
    func clients(of provider: BuiltInProvider) -> Set<String> {
        providers.first { $0.name == provider.rawValue }?.audiences ?? []
    }

    /// The names of the providers whose tokens can count as both proofs (F-04).
    var strongProviders: Set<String> {
        Set(providers.filter { $0.bothProofs != nil }.map(\.name))
    }

    /// The limits of a JWKS request. Redirects are not followed (OWASP ASVS 5, 15.3.2): an
    /// open redirect at a provider would let a stranger supply the keys.
    var terms: HTTPTerms {
        HTTPTerms(
            addresses: allowsPrivate ? .any : .publicOnly, trustFile: trustFile, timeout: timeout,
            bodyBytesMax: PublishedKeySet.bytesMax, redirectsMax: 0)
    }
}

extension ProvidersSettings {
    /// Declares every setting and reads its value.
    package init(reading settings: inout SettingsReader) {
        self.init()
        settings.boolean(
            "provider-private-addresses", &allowsPrivate,
            reason: "Fetches keys by http and from private addresses: for tests, or a provider "
                + "of your own network.")
        trustFile = settings.optionalPath(
            "provider-trust-file", reason: "PEM authorities to trust instead of the system's.")
        settings.duration(
            "provider-timeout", &timeout, in: .milliseconds(100)...(.seconds(10)),
            reason: "A provider that takes longer to send its keys counts as unavailable.")
        let built = [
            BuiltInProvider.google.provider(&settings, allowsPlain: allowsPrivate),
            BuiltInProvider.apple.provider(&settings, allowsPlain: allowsPrivate),
        ].compactMap(\.self)
        settings.require(
            Set(built.flatMap(\.issuers)).count == built.flatMap(\.issuers).count,
            ["google-issuer", "apple-issuer"],
            "two providers cannot be one issuer: an identity is its issuer and subject")
        providers = built + Self.further(&settings, beside: built, allowsPlain: allowsPrivate)
    }

    private static func further(
        _ settings: inout SettingsReader, beside built: [Provider], allowsPlain: Bool
    ) -> [Provider] {
        let path = settings.optionalPath(
            "providers-file",
            reason: "Further OpenID providers, .json: see Providers/ProvidersFile.swift.")
        guard let path else { return [] }
        let file = ProvidersFile(path: path, beside: built, allowsPlain: allowsPlain)
        for error in file.errors { settings.require(false, ["providers-file"], error) }
        return file.providers
    }
}
