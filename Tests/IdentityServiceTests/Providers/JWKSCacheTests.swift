import Cryptography
import Messages
import Outbound
import ProviderIssuer
import ServiceRuntime
import TestSupport
import Testing

@testable import IdentityService

@Suite("Providers' keys, over HTTP", .timeLimit(.minutes(1)))
struct JWKSCacheTests {
    /// A good token of Google's and its nonce, of the moment.
    private func sign(
        _ scene: ProviderScene, by key: IssuerKey? = nil
    ) throws -> (token: String, nonce: String) {
        let nonce = try scene.nonce().nonce
        let token = try scene.google.token(.google(of: "117", nonce: nonce), key: key)
        return (token, nonce)
    }

    private func subject(
        _ scene: ProviderScene, by key: IssuerKey? = nil
    ) async throws -> String {
        let (token, nonce) = try sign(scene, by: key)
        return try await scene.identity(token, nonce: nonce).subject
    }

    private func code(
        _ scene: ProviderScene, by key: IssuerKey? = nil
    ) async throws -> ServiceError {
        let (token, nonce) = try sign(scene, by: key)
        return try await refusal { try await scene.identity(token, nonce: nonce) }
    }

    @Test(
        "SECURITY.md, Tokens: 50 first sign-ins at once are one fetch, and so are thousands after")
    func single() async throws {
        try await ProviderScene.with { scene in
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
        "SECURITY.md, Tokens: unknown kids lead to one fetch in 30 s, and a new key is found by it")
    func unknown() async throws {
        try await ProviderScene.with { scene in
            #expect(try await subject(scene) == "117")
            let stranger = try IssuerKey(.es256)
            let forged = try IssuerKey(.rs256)
            for _ in 0..<20 {
                #expect(try await code(scene, by: forged).code == .invalidProviderToken)
            }
            #expect(scene.google.keyRequests == 1, "the set is too young")
            scene.time.advance(by: .seconds(30))
            for _ in 0..<20 {
                #expect(try await code(scene, by: forged).code == .invalidProviderToken)
            }
            #expect(scene.google.keyRequests == 2)
            #expect(try await code(scene, by: stranger).code == .invalidProviderToken)
            try scene.google.rotate()
            #expect(try await code(scene).code == .invalidProviderToken, "not yet")
            scene.time.advance(by: .seconds(30))
            #expect(try await subject(scene) == "117", "the new key")
            #expect(scene.google.keyRequests == 3)
        }
    }

    @Test("a key that is withdrawn is refused once the set's life is over")
    func withdrawn() async throws {
        try await ProviderScene.with { scene in
            scene.google.cache("max-age=600")
            let old = scene.google.key
            #expect(try await subject(scene) == "117")
            try scene.google.rotate(keepsOld: false)
            #expect(try await subject(scene, by: old) == "117", "as long as the set is good")
            scene.time.advance(by: .seconds(600))
            #expect(try await code(scene, by: old).code == .invalidProviderToken)
            #expect(try await subject(scene) == "117")
            #expect(scene.google.keyRequests == 2)
        }
    }

    @Test("SECURITY.md, Tokens: stale keys serve while the provider is down, for a day")
    func stale() async throws {
        try await ProviderScene.with { scene in
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
            #expect(scene.google.keyRequests == asked, "it is left alone")
            scene.google.behave(.serving)
            scene.time.advance(by: .seconds(360))
            #expect(try await subject(scene) == "117")
        }
    }

    @Test(
        "a provider that never gave keys is unavailable, whatever it does instead",
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
        try await ProviderScene.with(timeout: timeout) { scene in
            scene.google.behave(behaviour)
            let error = try await code(scene)
            #expect(error.code == .providerUnavailable)
            #expect(
                scene.log.lines.contains { $0.contains(reason) && $0.contains("google") },
                "\(scene.log.lines)")
        }
    }

    @Test("a redirect to where the keys are is followed")
    func redirect() async throws {
        try await ProviderScene.with { scene in
            scene.apple.behave(.answering(scene.google.keySet))
            scene.google.behave(.redirecting(to: scene.apple.keysURL))
            let subject = try await subject(scene)
            #expect(subject == "117")
        }
    }

    @Test("SECURITY.md, Tokens: private addresses are refused unless the operator allows them")
    func addresses() async throws {
        try await ProviderScene.with(allowsPrivate: false) { scene in
            let error = try await code(scene)
            #expect(error.code == .providerUnavailable)
            #expect(scene.google.requests == 0)
            #expect(scene.log.lines.contains { $0.contains("address-forbidden") })
        }
    }

    @Test("G-04: the place of the keys is discovered, from a description of this issuer alone")
    func discovered() async throws {
        func described(_ provider: Provider) -> Provider {
            Provider(
                name: provider.name, issuers: provider.issuers, audiences: provider.audiences,
                keyPlace: HTTPURL(
                    provider.issuer + "/.well-known/openid-configuration", allowsPlain: true
                ).map { .described(by: $0) } ?? provider.keyPlace,
                emailTrust: .verified, hashesNonce: provider.hashesNonce)
        }
        try await ProviderScene.with(described) { scene in
            #expect(try await subject(scene) == "117")
            #expect(scene.google.requests == 2)
            let more = (0..<150).map { #""member\#($0)":[]"# }.joined(separator: ",")
            scene.google.describe(
                #"{"issuer":"\#(scene.google.issuer)","#
                    + #""jwks_uri":"\#(scene.google.keysURL)",\#(more)}"#)
            scene.time.advance(by: .seconds(3_600))
            #expect(try await subject(scene) == "117", "a long description is read too")
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

    @Test("one provider that stalls holds nobody up who comes by the other")
    func neighbours() async throws {
        try await ProviderScene.with { scene in
            scene.apple.behave(.stalling)
            let nonce = try scene.nonce(for: "apple").nonce
            let token = try scene.apple.token(.apple(of: "1", nonce: nonce))
            let stalled = Task {
                try await scene.identity(token, nonce: nonce, by: "apple").subject
            }
            await scene.apple.reached(requests: 1)
            #expect(try await subject(scene) == "117")
            // It ends with the issuer, when the scene is taken down.
            stalled.cancel()
        }
    }
}
