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
        _ fixture: ProviderFixture, by key: IssuerKey? = nil
    ) throws -> (token: String, nonce: String) {
        let nonce = try fixture.nonce().nonce
        let token = try fixture.google.token(.google(of: "117", nonce: nonce), key: key)
        return (token, nonce)
    }

    private func subject(
        _ fixture: ProviderFixture, by key: IssuerKey? = nil
    ) async throws -> String {
        let (token, nonce) = try sign(fixture, by: key)
        return try await fixture.identity(token, nonce: nonce).subject
    }

    private func code(
        _ fixture: ProviderFixture, by key: IssuerKey? = nil
    ) async throws -> ServiceError {
        let (token, nonce) = try sign(fixture, by: key)
        return try await refusal { try await fixture.identity(token, nonce: nonce) }
    }

    @Test(
        "SECURITY.md, Tokens: 50 parallel first sign-ins cause one fetch of the keys")
    func single() async throws {
        try await ProviderFixture.with { fixture in
            let (token, nonce) = try sign(fixture)
            let subjects = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<50 {
                    group.addTask { try await fixture.identity(token, nonce: nonce).subject }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(subjects == Array(repeating: "117", count: 50))
            #expect(fixture.google.keyRequests == 1)
            #expect(fixture.apple.requests == 0)
        }
    }

    @Test(
        "SECURITY.md, Tokens: unknown kids cause one fetch in 30 s, which finds a new key")
    func unknown() async throws {
        try await ProviderFixture.with { fixture in
            #expect(try await subject(fixture) == "117")
            let stranger = try IssuerKey(.es256)
            let forged = try IssuerKey(.rs256)
            for _ in 0..<20 {
                #expect(try await code(fixture, by: forged).code == .invalidProviderToken)
            }
            #expect(fixture.google.keyRequests == 1, "the key set is too young")
            fixture.time.advance(by: .seconds(30))
            for _ in 0..<20 {
                #expect(try await code(fixture, by: forged).code == .invalidProviderToken)
            }
            #expect(fixture.google.keyRequests == 2)
            #expect(try await code(fixture, by: stranger).code == .invalidProviderToken)
            try fixture.google.rotate()
            #expect(
                try await code(fixture).code == .invalidProviderToken, "no fetch is allowed yet")
            fixture.time.advance(by: .seconds(30))
            #expect(try await subject(fixture) == "117", "the new key")
            #expect(fixture.google.keyRequests == 3)
        }
    }

    @Test("a withdrawn key is refused once the cached key set expires")
    func withdrawn() async throws {
        try await ProviderFixture.with { fixture in
            fixture.google.cache("max-age=600")
            let old = fixture.google.key
            #expect(try await subject(fixture) == "117")
            try fixture.google.rotate(keepsOldKeys: false)
            #expect(try await subject(fixture, by: old) == "117", "until the key set expires")
            fixture.time.advance(by: .seconds(600))
            #expect(try await code(fixture, by: old).code == .invalidProviderToken)
            #expect(try await subject(fixture) == "117")
            #expect(fixture.google.keyRequests == 2)
        }
    }

    @Test("SECURITY.md, Tokens: stale keys are used for a day while the provider is down")
    func stale() async throws {
        try await ProviderFixture.with { fixture in
            fixture.google.cache("max-age=600")
            #expect(try await subject(fixture) == "117")
            fixture.google.behave(.failing(503))
            fixture.time.advance(by: .seconds(700))
            #expect(try await subject(fixture) == "117")
            #expect(fixture.log.lines.contains { $0.contains("status-503") })
            fixture.time.advance(by: .seconds(23 * 3_600))
            #expect(try await subject(fixture) == "117")
            fixture.time.advance(by: .seconds(2 * 3_600))
            let error = try await code(fixture)
            #expect(error.code == .providerUnavailable)
            #expect(error.retryAfter.map { $0 > .zero && $0 <= .seconds(360) } == true)
            let asked = fixture.google.keyRequests
            for _ in 0..<20 { #expect(try await code(fixture).code == .providerUnavailable) }
            #expect(fixture.google.keyRequests == asked, "no further requests")
            fixture.google.behave(.serving)
            fixture.time.advance(by: .seconds(360))
            #expect(try await subject(fixture) == "117")
        }
    }

    @Test(
        "a provider whose keys were never fetched is unavailable, whatever it answers",
        arguments: [
            (ProviderIssuer.Behaviour.stalling, "timed-out"), (.dripping, "timed-out"),
            (.failing(500), "status-500"), (.failing(404), "status-404"), (.huge, "too-large"),
            (.redirecting(to: "/keys"), "status-302"),
            (.redirecting(to: "file:///etc/passwd"), "status-302"),
            (.answering(""), "key-set"), (.answering("[]"), "key-set"),
            (.answering(#"{"keys":{}}"#), "key-set"),
            (.answering(#"{"keys":[]}"#), "no-usable-key"),
            (.answering(#"{"keys":[{"kty":"oct","k":"AA","kid":"1"}]}"#), "key-set"),
        ])
    func unavailable(behaviour: ProviderIssuer.Behaviour, reason: String) async throws {
        let timeout: Duration = reason == "timed-out" ? .milliseconds(200) : .seconds(10)
        try await ProviderFixture.with(timeout: timeout) { fixture in
            fixture.google.behave(behaviour)
            let error = try await code(fixture)
            #expect(error.code == .providerUnavailable)
            #expect(
                fixture.log.lines.contains { $0.contains(reason) && $0.contains("google") },
                "\(fixture.log.lines)")
        }
    }

    @Test("SECURITY.md, Tokens: a redirect of the key URL is not followed")
    func redirect() async throws {
        try await ProviderFixture.with { fixture in
            fixture.apple.behave(.answering(fixture.google.keySet))
            fixture.google.behave(.redirecting(to: fixture.apple.keysURL))
            let error = try await code(fixture)
            #expect(error.code == .providerUnavailable)
            #expect(fixture.apple.requests == 0)
        }
    }

    @Test("SECURITY.md, Tokens: private addresses are refused unless the operator allows them")
    func addresses() async throws {
        try await ProviderFixture.with(allowsPrivate: false) { fixture in
            let error = try await code(fixture)
            #expect(error.code == .providerUnavailable)
            #expect(fixture.google.requests == 0)
            #expect(fixture.log.lines.contains { $0.contains("address-forbidden") })
        }
    }

    @Test("G-04: the key URL is discovered only from the issuer's own metadata")
    func discovered() async throws {
        func described(_ provider: Provider) -> Provider {
            Provider(
                name: provider.name, issuers: provider.issuers, audiences: provider.audiences,
                jwksLocation: HTTPURL(
                    provider.issuer + "/.well-known/openid-configuration", allowsPlain: true
                ).map { .described(by: $0) } ?? provider.jwksLocation,
                emailTrust: .verified, hashesNonce: provider.hashesNonce)
        }
        try await ProviderFixture.with(described) { fixture in
            #expect(try await subject(fixture) == "117")
            #expect(fixture.google.requests == 2)
            let more = (0..<150).map { #""member\#($0)":[]"# }.joined(separator: ",")
            fixture.google.describe(
                #"{"issuer":"\#(fixture.google.issuer)","#
                    + #""jwks_uri":"\#(fixture.google.keysURL)",\#(more)}"#)
            fixture.time.advance(by: .seconds(3_600))
            #expect(try await subject(fixture) == "117", "long metadata is read too")
            #expect(fixture.google.keyRequests == 2)
            fixture.apple.describe(
                #"{"issuer":"https://id.example","jwks_uri":"\#(fixture.apple.keysURL)"}"#)
            let nonce = try fixture.nonce(for: "apple").nonce
            let token = try fixture.apple.token(.apple(of: "1", nonce: nonce))
            let error = try await refusal {
                try await fixture.identity(token, nonce: nonce, by: "apple")
            }
            #expect(error.code == .providerUnavailable)
            #expect(fixture.apple.keyRequests == 0)
        }
    }

    @Test("a provider that stalls does not delay sign-ins with another provider")
    func neighbours() async throws {
        try await ProviderFixture.with { fixture in
            fixture.apple.behave(.stalling)
            let nonce = try fixture.nonce(for: "apple").nonce
            let token = try fixture.apple.token(.apple(of: "1", nonce: nonce))
            let stalled = Task {
                try await fixture.identity(token, nonce: nonce, by: "apple").subject
            }
            await fixture.apple.reached(requests: 1)
            #expect(try await subject(fixture) == "117")
            // The request ends when the fixture closes the issuer.
            stalled.cancel()
        }
    }
}
