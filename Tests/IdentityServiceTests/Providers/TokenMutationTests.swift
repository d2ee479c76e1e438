import Cryptography
import JSON
import Messages
import ProviderIssuer
import ServiceRuntime
import TestSupport
import Testing

@testable import IdentityService

@Suite("Provider tokens: what is refused", .timeLimit(.minutes(1)))
struct TokenMutationTests {
    /// Adds a second app, so that a token can have two accepted audiences.
    private func two(_ provider: Provider) -> Provider {
        Provider(
            name: provider.name, issuers: provider.issuers, audiences: ["client-1", "client-2"],
            jwksLocation: provider.jwksLocation, emailTrust: provider.emailTrust,
            hashesNonce: provider.hashesNonce,
            namesComeWithRequest: provider.namesComeWithRequest)
    }

    @Test("G-04, G-05: each invalid token is refused with the expected code and without a fetch")
    func mutations() async throws {
        try await ProviderFixture.with(two) { fixture in
            let tokens = try TokenMutationFixture(fixture)
            let identity = try await fixture.identity(tokens.good, nonce: tokens.nonce)
            #expect(identity.subject == "117", "the unchanged token is valid")
            let mutations = TokenMutation.form + TokenMutation.claims
            #expect(mutations.count >= 40)
            #expect(Set(mutations.map(\.name)).count == mutations.count)
            for mutation in mutations {
                let handed = try mutation.make(tokens)
                let error = try await refusal {
                    try await fixture.identity(
                        handed.token, nonce: handed.nonce, by: handed.provider)
                }
                #expect(error.code == mutation.code, "\(mutation.name): \(error)")
                #expect(error.detail.contains(mutation.word), "\(mutation.name): \(error)")
                #expect(!error.detail.contains("117") && !error.detail.contains("ada"))
            }
            #expect(fixture.google.keyRequests == 1, "none of them causes a fetch")
            #expect(try await fixture.identity(tokens.good, nonce: tokens.nonce).subject == "117")
        }
    }

    @Test("G-04: every truncation and every changed character is refused, without a fetch")
    func changes() async throws {
        try await ProviderFixture.with { fixture in
            let tokens = try TokenMutationFixture(fixture)
            #expect(try await fixture.identity(tokens.good, nonce: tokens.nonce).subject == "117")
            let token = Array(tokens.good.utf8)
            for place in token.indices {
                var changed = token
                changed[place] = changed[place] == UInt8(ascii: "A") ? UInt8(ascii: "B") : 65
                for bytes in [changed, Array(token[..<place])] {
                    let error = try await refusal {
                        try await fixture.identity(
                            String(decoding: bytes, as: UTF8.self), nonce: tokens.nonce)
                    }
                    #expect(error.code == .invalidProviderToken, "at \(place)")
                }
            }
            #expect(fixture.google.keyRequests == 1)
        }
    }

    @Test("an ES256 provider refuses every JWT attack of `TokenAttacks`")
    func attacks() async throws {
        let time = ManualTime()
        let issuer = try await ProviderIssuer(time: time, algorithm: .es256)
        try await ProviderFixture.with { fixture in
            let provider = try ProviderFixture.provider("google", issuer, algorithms: [.es256])
            let check = try Self.check(of: provider, fixture)
            let nonce = try fixture.nonce().nonce
            let good = try issuer.token(.google(of: "1", nonce: nonce))
            let handed = GatewayV1.ProviderToken(
                provider: "google", idToken: good, nonce: nonce)
            #expect(try await check.identity(provedBy: handed).subject == "1")
            let attacks = try #require(
                try TokenAttacks(
                    on: good, kid: issuer.key.identifier, jwks: issuer.keySet, type: "JWT"))
            for forgery in try attacks.forgeries() where forgery.token != good {
                var forged = handed
                forged.idToken = forgery.token
                let error = try await refusal { try await check.identity(provedBy: forged) }
                #expect(error.code == .invalidProviderToken, "\(forgery.description)")
            }
        }
        await issuer.close()
    }

    private static func check(
        of provider: Provider, _ fixture: ProviderFixture
    ) throws -> ProviderTokenCheck {
        try Providers(
            settings: ProvidersSettings(providers: [provider], allowsPrivate: true),
            keys: fixture.keys, time: fixture.time, randomness: SeededRandomness(),
            logger: fixture.log.logger(time: fixture.time)
        ).check
    }

    @Test("A-01: the log says why a token was refused, and once a minute for each reason")
    func logged() async throws {
        try await ProviderFixture.with { fixture in
            func lines(_ reason: String) -> Int {
                fixture.log.lines.count {
                    $0.contains("\"identity.provider.token.refused\"")
                        && $0.contains("\"google\"") && $0.contains("\"\(reason)\"")
                }
            }
            let nonce = try fixture.nonce().nonce
            let stranger = try fixture.google.token(
                IssuedClaims.google(of: "canary", email: "ada@example.org", nonce: nonce)
                    .with([("aud", .string("another-app"))]))
            for _ in 0..<3 {
                _ = try await refusal { try await fixture.identity(stranger, nonce: nonce) }
                _ = try await refusal { try await fixture.identity(stranger, nonce: "") }
            }
            #expect(lines("audience") == 1 && lines("nonce-missing") == 1)
            fixture.time.advance(by: .seconds(60))
            _ = try await refusal { try await fixture.identity(stranger, nonce: nonce) }
            #expect(lines("audience") == 2)
            for content in ["canary", "ada@", "another-app", nonce] {
                #expect(!fixture.log.lines.contains { $0.contains(content) }, "\(content)")
            }
        }
    }

    @Test("a provider that is not configured is refused, for tokens and for nonces")
    func unknown() async throws {
        try await ProviderFixture.with { fixture in
            for name in ["", "Google", "password", "example"] {
                let error = try await refusal {
                    try await fixture.identity("a.b.c", nonce: "", by: name)
                }
                #expect(error.code == .operationNotAllowed)
                #expect(throws: ServiceError.self) { try fixture.nonce(for: name) }
            }
        }
    }

    @Test("G-05: a token without a nonce is accepted only if the operator allows it")
    func withoutNonce() async throws {
        func easy(_ provider: Provider) -> Provider {
            Provider(
                name: provider.name, issuers: provider.issuers, audiences: provider.audiences,
                jwksLocation: provider.jwksLocation, emailTrust: provider.emailTrust,
                noncePolicy: .optional)
        }
        try await ProviderFixture.with(easy) { fixture in
            let bare = try fixture.google.token(.google(of: "117"))
            let identity = try await fixture.identity(bare, nonce: "")
            #expect(identity.subject == "117")
            #expect(identity.nonce == nil)
            let nonce = try fixture.nonce().nonce
            let holding = try fixture.google.token(.google(of: "117", nonce: nonce))
            for (token, handedIn) in [(holding, ""), (bare, nonce), (bare, "x")] {
                let error = try await refusal { try await fixture.identity(token, nonce: handedIn) }
                #expect(error.code == .invalidNonce)
            }
        }
    }

    @Test("G-05: a token signs in once, so an intercepted token is useless")
    func once() async throws {
        try await ProviderFixture.with { fixture in
            let identity = try IdentityFixture(time: fixture.time)
            let identities = IdentitiesHandler(
                of: identity.service, tokens: fixture.providers)
            let nonce = try await identities.issueNonce(
                .init(provider: "google"), identity.relayed(nil))
            let token = try fixture.google.token(
                .google(of: "117", email: "ada@example.org", nonce: nonce.providerNonce))
            let request = GatewayV1.SignInWithProviderRequest(
                token: .init(provider: "google", idToken: token, nonce: nonce.nonce),
                device: IdentityFixture.device)
            let first = try await identities.signInWithProvider(request, identity.context("key-1"))
            #expect(first.isNewUser)
            #expect(first.account?.methods == ["google"])
            let again = try await identities.signInWithProvider(request, identity.context("key-1"))
            #expect(again.account?.accountId == first.account?.accountId, "a repeat of the call")
            let error = try await refusal {
                try await identities.signInWithProvider(request, identity.context("key-2"))
            }
            #expect(error.code == .invalidNonce)
        }
    }

    @Test("G-05: times are accepted with 60 s of leeway in both directions, to the second")
    func leeway() async throws {
        try await ProviderFixture.with { fixture in
            let tokens = try TokenMutationFixture(fixture)
            let late = try tokens.saying([
                ("exp", .integer(tokens.now - 59)), ("iat", .integer(tokens.now - 600)),
                ("nbf", .integer(tokens.now - 600)),
            ])
            #expect(try await fixture.identity(late.token, nonce: late.nonce).subject == "117")
            let early = try tokens.saying([
                ("iat", .integer(tokens.now + 60)), ("nbf", .integer(tokens.now + 60)),
            ])
            #expect(try await fixture.identity(early.token, nonce: early.nonce).subject == "117")
        }
    }

    @Test("unusual but valid tokens pass: typ absent or lower case, two audiences with azp")
    func harmless() async throws {
        try await ProviderFixture.with(two) { fixture in
            let tokens = try TokenMutationFixture(fixture)
            let both = JSONValue.array([.string("client-1"), .string("client-2")])
            let two = try tokens.saying([("aud", both), ("azp", .string("client-2"))])
            #expect(try await fixture.identity(two.token, nonce: two.nonce).audience == "client-2")
            let android = try tokens.saying([("azp", .string("an-android-app"))])
            #expect(
                try await fixture.identity(android.token, nonce: android.nonce).subject == "117")
            let long = String(repeating: "1", count: 255)
            let longest = try tokens.saying([("sub", .string(long))])
            #expect(
                try await fixture.identity(longest.token, nonce: longest.nonce).subject == long)
            let small = try tokens.header([("typ", .string("jwt"))])
            #expect(try await fixture.identity(small.token, nonce: small.nonce).subject == "117")
            let header = IssuedClaims([
                ("alg", .string("RS256")), ("kid", .string(tokens.key.identifier)),
            ])
            let message = Base64URL.encode(header.text.utf8) + "." + tokens.parts[1]
            let token = message + "." + Base64URL.encode(try tokens.key.sign(message))
            #expect(try await fixture.identity(token, nonce: tokens.nonce).subject == "117")
        }
    }
}
