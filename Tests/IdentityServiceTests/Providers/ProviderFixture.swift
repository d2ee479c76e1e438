import Cryptography
import Messages
import Outbound
import ProviderIssuer
import ServiceRuntime
import TestSupport
import Testing

@testable import IdentityService

/// Google and Apple on loopback, and the verification of their tokens over real HTTP, with manual
/// time.
struct ProviderFixture {
    let time: ManualTime
    let google: ProviderIssuer
    let apple: ProviderIssuer
    let log = CapturedLog()
    let keys: IdentityKeys
    let providers: Providers

    /// `change` can alter the providers' settings.
    init(
        allowsPrivate: Bool = true, timeout: Duration = .seconds(3),
        _ change: (Provider) -> Provider = { $0 }
    ) async throws {
        time = ManualTime()
        google = try await ProviderIssuer(time: time)
        apple = try await ProviderIssuer(time: time)
        let settings = ProvidersSettings(
            providers: [
                change(try Self.provider("google", google)),
                change(try Self.provider("apple", apple, isApple: true)),
            ], allowsPrivate: allowsPrivate, timeout: timeout)
        let randomness = SeededRandomness()
        keys = try IdentityKeys(
            master: SecretBytes(copying: [UInt8](repeating: 7, count: 32)),
            signInProofs: SecretBytes(copying: [UInt8](repeating: 9, count: 32)),
            randomness: randomness)
        providers = try Providers(
            settings: settings, keys: keys, time: time, randomness: randomness,
            logger: log.logger(time: time))
    }

    /// Runs `body` with a new fixture, and closes the fixture.
    static func with(
        allowsPrivate: Bool = true, timeout: Duration = .seconds(3),
        _ change: (Provider) -> Provider = { $0 },
        _ body: (ProviderFixture) async throws -> Void
    ) async throws {
        let fixture = try await ProviderFixture(
            allowsPrivate: allowsPrivate, timeout: timeout, change)
        do {
            try await body(fixture)
        } catch {
            await fixture.close()
            throw error
        }
        await fixture.close()
    }

    func close() async {
        await google.close()
        await apple.close()
    }

    /// Provider settings for an issuer.
    static func provider(
        _ name: String, _ issuer: ProviderIssuer,
        audiences: Set<String> = [ProviderIssuer.audience],
        emailTrust: Provider.EmailTrust = .verified,
        noncePolicy: Provider.NoncePolicy = .required, isApple: Bool = false,
        algorithms: Set<SignatureAlgorithm> = [.rs256]
    ) throws -> Provider {
        Provider(
            name: name, issuers: [issuer.issuer, String(issuer.issuer.dropFirst("http://".count))],
            audiences: audiences,
            jwksLocation: .at(try #require(HTTPURL(issuer.keysURL, allowsPlain: true))),
            algorithms: algorithms, emailTrust: emailTrust, noncePolicy: noncePolicy,
            hashesNonce: isApple, namesComeWithRequest: isApple)
    }

    /// Issues a nonce for a provider.
    func nonce(for name: String = "google") throws -> GatewayV1.IssueNonceResponse {
        providers.nonces.issue(for: try providers.provider(named: name))
    }

    /// Verifies a token and returns the identity that it proves.
    func identity(
        _ token: String, nonce: String, by provider: String = "google", name: String = ""
    ) async throws -> ProvedIdentity {
        try await providers.check.identity(
            provedBy: .init(
                provider: provider, idToken: token, nonce: nonce, displayName: name))
    }
}
