import Cryptography
import Messages
import ServiceRuntime
import TestSupport
import Testing

@testable import SessionService

@Suite("S-01: access tokens are signed, short-lived and verifiable offline")
struct AccessTokenTests {
    @Test("a token's life is the mean ± 5 % for any random number, and both ends are reached")
    func jitter() {
        let life = AccessTokens.Life(mean: .seconds(600))
        let start = Timestamp(milliseconds: 10_000_000)
        let end = start + .seconds(86_400)
        func lasts(_ draw: UInt64) -> Duration {
            life.expiry(givenAt: start, sessionEnd: end, draw: draw) - start
        }
        #expect(lasts(0) == .seconds(570))
        #expect(lasts(30_000) == .seconds(600))
        #expect(lasts(60_000) == .seconds(630))
        let randomness = SeededRandomness(seed: 3)
        for draw in [UInt64.max] + (0..<1_000).map({ _ in randomness.integer() }) {
            #expect((.seconds(570)...(.seconds(630))).contains(lasts(draw)))
        }
    }

    @Test("no token outlives its session, and its expiry is a whole second")
    func sessionEnd() {
        let life = AccessTokens.Life(mean: .seconds(600))
        let start = Timestamp(milliseconds: 10_000_000)
        let expiry = life.expiry(
            givenAt: start, sessionEnd: start + .milliseconds(90_999), draw: 0)
        #expect(expiry == start + .seconds(90))
    }

    @Test("S-01: a token verifies offline with the key set and has the claims it needs")
    func offline() async throws {
        let fixture = try await SessionFixture(
            flags: ["--token-issuer", "https://id.example", "--token-audience", "shop"])
        let account = try fixture.account()
        let tokens = try await fixture.open(account)
        let keySet = try fixture.service.sessions.getKeySet(
            GatewayV1.GetKeySetRequest(), fixture.context())
        let verifier = TokenVerifier(
            keys: try JSONWebKeySet(json: keySet.jwks.utf8), type: "at+jwt",
            issuer: "https://id.example", audience: "shop")
        let claims = try verifier.verify(tokens.accessToken, at: fixture.time.now())
        #expect(claims.subject == account.text)
        #expect(claims.sessionID == tokens.sessionId)
        #expect(claims.methods == ["pwd"] && claims.assurance == "aal1")
        #expect(claims.authenticatedAt != nil)
        #expect(claims.issuedAt == fixture.time.now())
        #expect(claims.expiresAt.milliseconds == tokens.accessExpiresAtMs)
        #expect(claims.identifier?.isEmpty == false)
        #expect(!keySet.jwks.contains("\"d\""))
    }

    @Test("every token has its own id")
    func identifiers() async throws {
        let fixture = try await SessionFixture()
        let first = try await fixture.open(key: "k")
        let again = try await fixture.open(key: "k")
        #expect(first.accessToken != again.accessToken)
    }
}
