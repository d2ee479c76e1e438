import ArgumentParser
import Cryptography
import IdentityService
import Messages
import ProviderIssuer
import ServiceRuntime
import TestSupport

/// Checks of a provider's tokens a second on one core with cached keys, compared with the bare
/// check of the same token's signature (RS256, 2,048 bits).
struct ProviderTokens: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "provider-tokens")

    @Option(help: "Checks in each run.")
    var checks = 20_000
    @Option(help: "Runs of each kind, alternating; the median counts.")
    var runs = 5

    func run() async throws {
        let issuer = try await ProviderIssuer()
        var (whole, bare): ([Double], [Double]) = ([], [])
        let check = try await Self.check(of: issuer)
        for _ in 0..<runs {
            bare.append(try signatures(of: issuer, token: check.token.idToken))
            whole.append(try await tokens(check))
        }
        await issuer.close()
        let (one, floor) = (Double.median(whole), Double.median(bare))
        Figure(name: "provider-token", value: one, unit: "tokens/s").report()
        Figure(name: "rs256-check", value: floor, unit: "signatures/s").report()
        Figure(name: "provider-token/rs256-check", value: one / floor, unit: "×").report()
    }

    private struct Check {
        let providers: Providers
        let token: GatewayV1.ProviderToken
    }

    /// The issuer as Google, with the settings that an operator would write.
    private static func check(of issuer: ProviderIssuer) async throws -> Check {
        let randomness = SecureRandomness()
        let key = SecretBytes.generate(count: SecretFile.keyBytes, randomness: randomness)
        let providers = try Providers(
            settings: SettingsLoader.settings(environment: issuer.environment(for: "google")),
            keys: IdentityKeys(master: key, signInProofs: key, randomness: randomness),
            time: SystemTime(), randomness: randomness, logger: .silent)
        let nonce = try providers.issueNonce(for: "google")
        let token = try issuer.token(
            .google(of: "117402", email: "ada@example.org", nonce: nonce))
        return Check(
            providers: providers,
            token: .init(provider: "google", idToken: token, nonce: nonce))
    }

    private func tokens(_ check: Check) async throws -> Double {
        let begin = ContinuousClock.now
        for _ in 0..<checks {
            let subject = try await check.providers.subject(provedBy: check.token)
            precondition(subject == "117402", "a token that is not good measures something else")
        }
        return Double(checks) / ((ContinuousClock.now - begin) / .seconds(1))
    }

    private func signatures(of issuer: ProviderIssuer, token: String) throws -> Double {
        let dot = token.lastIndex(of: ".") ?? token.startIndex
        let message = Array(token[..<dot].utf8)
        guard let signature = Base64URL.decode(token[dot...].dropFirst().utf8),
            let key = try PublishedKeySet(json: issuer.keySet.utf8)[issuer.key.identifier]
        else { throw ValidationError("no key is published") }
        let begin = ContinuousClock.now
        for _ in 0..<checks {
            precondition(key.verifies(signature, of: message), "the signature is good")
        }
        return Double(checks) / ((ContinuousClock.now - begin) / .seconds(1))
    }
}
