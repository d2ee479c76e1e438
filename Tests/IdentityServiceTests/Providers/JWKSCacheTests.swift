import Cryptography
import Messages
import Outbound
import ProviderIssuer
import ServiceRuntime
import TestSupport
import Testing

@testable import IdentityService

@Suite("Fetching and caching providers' keys over HTTP", .timeLimit(.minutes(1)))
struct JWKSCacheTests {
    /// A valid Google token, issued now, and its nonce.
    private func sign(
        _ scene: ProviderFixture, by key: IssuerKey? = nil
    ) throws -> (token: String, nonce: String) {
        let nonce = try scene.nonce().nonce
        let token = try scene.google.token(.google(of: "117", nonce: nonce), key: key)
        return (token, nonce)
    }

    private func subject(
        _ scene: ProviderFixture, by key: IssuerKey? = nil
    ) async throws -> String {
        let (token, nonce) = try sign(scene, by: key)
        return try await scene.identity(token, nonce: nonce).subject
    }

    private func code(
        _ scene: ProviderFixture, by key: IssuerKey? = nil
    ) async throws -> ServiceError {
        let (token, nonce) = try sign(scene, by: key)
        return try await refusal { try await scene.identity(token, nonce: nonce) }
    }

    @Test(
        "SECURITY.md, Tokens: 50 parallel first sign-ins cause one fetch of the keys")
    func single() async throws {
        try await ProviderFixture.with { scene in
            let (token, nonce) = try sign(scene)
            let subjects = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<50 {
                    group.addTask { try await scene.identity(token, nonce: nonce).subject }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(subjects == Array(repeating: "117", count: 50))
            #expect(scene.google.keyRequests == 1)
            #expect(scene.apple.requests == 0)
        }
    }

    @Test(
        "SECURITY.md, Tokens: unknown kids cause one fetch in 30 s, which finds a new key")
    func unknown() async throws {
        try await ProviderFixture.with { scene in
            #expect(try await subject(scene) == "117")
            let stranger = try IssuerKey(.es256)
            let forged = try IssuerKey(.rs256)
            for _ in 0..<20 {
                #expect(try await code(scene, by: forged).code == .invalidProviderToken)
            }
            #expect(scene.google.keyRequests == 1, "the key set is too young")
            scene.time.advance(by: .seconds(30))
            for _ in 0..<20 {
                #expect(try await code(scene, by: forged).code == .invalidProviderToken)
            }
            #expect(scene.google.keyRequests == 2)
            #expect(try await code(scene, by: stranger).code == .invalidProviderToken)
            try scene.google.rotate()
            #expect(try await code(scene).code == .invalidProviderToken, "no fetch is allowed yet")
            scene.time.advance(by: .seconds(30))
            #expect(try await subject(scene) == "117", "the new key")
            #expect(scene.google.keyRequests == 3)
        }
    }

    @Test("a withdrawn key is refused once the cached key set expires")
    func withdrawn() async throws {
        try await ProviderFixture.with { scene in
            scene.google.cache("max-age=600")
            let old = scene.google.key
            #expect(try await subject(scene) == "117")
            try scene.google.rotate(keepsOld: false)
            #expect(try await subject(scene, by: old) == "117", "until the key set expires")
            scene.time.advance(by: .seconds(600))
            #expect(try await code(scene, by: old).code == .invalidProviderToken)
            #expect(try await subject(scene) == "117")
            #expect(scene.google.keyRequests == 2)
        }
    }

    @Test("SECURITY.md, Tokens: stale keys are used for a day while the provider is down")
    func stale() async throws {
        try await ProviderFixture.with { scene in
            scene.google.cache("max-age=600")
            #expect(try await subject(scene) == "117")
            scene.google.behave(.failing(503))
            scene.time.advance(by: .seconds(700))
            #expect(try await subject(scene) == "117")
            #expect(scene.log.lines.contains { $0.contains("status-503") })
            scene.time.advance(by: .seconds(23 * 3_600))
            #expect(try await subject(scene) == "117")
            scene.time.advance(by: .seconds(2 * 3_600))
            let error = try await code(scene)
            #expect(error.code == .providerUnavailable)
            #expect(error.retryAfter.map { $0 > .zero && $0 <= .seconds(360) } == true)
            let asked = scene.google.keyRequests
            for _ in 0..<20 { #expect(try await code(scene).code == .providerUnavailable) }
            #expect(scene.google.keyRequests == asked, "no further requests")
            scene.google.behave(.serving)
            scene.time.advance(by: .seconds(360))
            #expect(try await subject(scene) == "117")
        }
    }

    @Test(
        "a provider whose keys were never fetched is unavailable, whatever it answers",
        arguments: [
            (ProviderIssuer.Behaviour.stalling, "timed-out"), (.dripping, "timed-out"),
            (.failing(500), "status-500"), (.failing(404), "status-404"), (.huge, "too-large"),
            (.redirecting(to: "/keys"), "redirected"),
            (.redirecting(to: "file:///etc/passwd"), "redirected"),
            (.answering(""), "key-set"), (.answering("[]"), "key-set"),
            (.answering(#"{"keys":{}}"#), "key-set"),
            (.answering(#"{"keys":[]}"#), "no-usable-key"),
            (.answering(#"{"keys":[{"kty":"oct","k":"AA","kid":"1"}]}"#), "key-set"),
        ])
    func unavailable(behaviour: ProviderIssuer.Behaviour, reason: String) async throws {
        let timeout: Duration = reason == "timed-out" ? .milliseconds(200) : .seconds(10)
        try await ProviderFixture.with(timeout: timeout) { scene in
            scene.google.behave(behaviour)
            let error = try await code(scene)
            #expect(error.code == .providerUnavailable)
            #expect(
                scene.log.lines.contains { $0.contains(reason) && $0.contains("google") },
                "\(scene.log.lines)")
        }
    }

    @Test("a redirect of the key URL is followed")
    func redirect() async throws {
        try await ProviderFixture.with { scene in
            scene.apple.behave(.answering(scene.google.keySet))
            scene.google.behave(.redirecting(to: scene.apple.keysURL))
            let subject = try await subject(scene)
            #expect(subject == "117")
        }
    }

    @Test("SECURITY.md, Tokens: private addresses are refused unless the operator allows them")
    func addresses() async throws {
        try await ProviderFixture.with(allowsPrivate: false) { scene in
            let error = try await code(scene)
            #expect(error.code == .providerUnavailable)
            #expect(scene.google.requests == 0)
            #expect(scene.log.lines.contains { $0.contains("address-forbidden") })
        }
    }

    @Test("G-04: the key URL is discovered only from the issuer's own metadata")
    func discovered() async throws {
        func described(_ provider: Provider) -> Provider {
            Provider(
                name: provider.name, issuers: provider.issuers, audiences: provider.audiences,
                keyPlace: HTTPURL(
                    provider.issuer + "/.well-known/openid-configuration", allowsPlain: true
                ).map { .described(by: $0) } ?? provider.keyPlace,
                emailTrust: .verified, hashesNonce: provider.hashesNonce)
        }
        try await ProviderFixture.with(described) { scene in
            #expect(try await subject(scene) == "117")
            #expect(scene.google.requests == 2)
            let more = (0..<150).map { #""member\#($0)":[]"# }.joined(separator: ",")
            scene.google.describe(
                #"{"issuer":"\#(scene.google.issuer)","#
                    + #""jwks_uri":"\#(scene.google.keysURL)",\#(more)}"#)
            scene.time.advance(by: .seconds(3_600))
            #expect(try await subject(scene) == "117", "long metadata is read too")
            #expect(scene.google.keyRequests == 2)
            scene.apple.describe(
                #"{"issuer":"https://id.example","jwks_uri":"\#(scene.apple.keysURL)"}"#)
            let nonce = try scene.nonce(for: "apple").nonce
            let token = try scene.apple.token(.apple(of: "1", nonce: nonce))
            let error = try await refusal {
                try await scene.identity(token, nonce: nonce, by: "apple")
            }
            #expect(error.code == .providerUnavailable)
            #expect(scene.apple.keyRequests == 0)
        }
    }

    @Test("a provider that stalls does not delay sign-ins with another provider")
    func neighbours() async throws {
        try await ProviderFixture.with { scene in
            scene.apple.behave(.stalling)
            let nonce = try scene.nonce(for: "apple").nonce
            let token = try scene.apple.token(.apple(of: "1", nonce: nonce))
            let stalled = Task {
                try await scene.identity(token, nonce: nonce, by: "apple").subject
            }
            await scene.apple.reached(requests: 1)
            #expect(try await subject(scene) == "117")
            // The request ends when the scene closes the issuer.
            stalled.cancel()
        }
    }
}
