import Contracts
import Cryptography
import Logging
import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import SessionService

@Suite("S-07: the service validates access tokens")
struct ValidationTests {
    let fixture: SessionFixture

    init() async throws {
        fixture = try await SessionFixture()
    }

    @Test("S-07: a token is valid until the exact millisecond of its expiry")
    func expiry() async throws {
        let tokens = try await fixture.open()
        let expiry = Timestamp(milliseconds: tokens.accessExpiresAtMs)
        fixture.time.advance(by: expiry - fixture.time.now() - .milliseconds(1))
        #expect(fixture.validate(tokens.accessToken).valid)
        fixture.time.advance(by: .milliseconds(1))
        #expect(fixture.validate(tokens.accessToken) == SessionV1.ValidateAccessTokenResponse())
    }

    @Test("S-07: anything but an access token of ours reveals nothing")
    func notOurs() async throws {
        let tokens = try await fixture.open()
        let other = try await SessionFixture()
        let foreign = try await other.open()
        let parts = tokens.accessToken.split(separator: ".").map(String.init)
        let unsigned = Base64URL.encode(Array(#"{"alg":"none","typ":"at+jwt"}"#.utf8))
        for token in [
            "", ".", "..", tokens.refreshToken, tokens.sessionId, foreign.accessToken,
            parts[0] + "." + parts[1], parts[0] + "." + parts[1] + ".",
            unsigned + "." + parts[1] + ".", unsigned + "." + parts[1] + "." + parts[2],
            tokens.accessToken + "A", String(repeating: "A", count: 100_000),
        ] {
            #expect(fixture.validate(token) == SessionV1.ValidateAccessTokenResponse())
        }
        #expect(fixture.validate(tokens.accessToken).valid)
    }

    @Test("a token signed by our key for another purpose is not an access token")
    func otherType() async throws {
        let parts = try await signedByOurs(type: "jwt", audience: "postern", issuer: "postern")
        #expect(!fixture.validate(parts).valid)
        for (audience, issuer) in [("other", "postern"), ("postern", "other")] {
            let token = try await signedByOurs(
                type: "at+jwt", audience: audience, issuer: issuer)
            #expect(!fixture.validate(token).valid)
        }
        let good = try await signedByOurs(type: "at+jwt", audience: "postern", issuer: "postern")
        #expect(fixture.validate(good).valid, "otherwise the rejections prove nothing")
    }

    private func signedByOurs(
        type: String, audience: String, issuer: String
    ) async throws -> String {
        let keys = try SessionKeys(
            master: fixture.master, signInProofs: fixture.proofKey,
            randomness: fixture.randomness)
        let ring = try await SigningKeyRing.load(
            from: fixture.store, box: keys.signingKeys, randomness: fixture.randomness,
            logger: .init(label: "test"))
        let now = fixture.time.now()
        return try TokenSigner(key: ring.active, type: type).sign(
            TokenClaims(
                issuer: issuer, subject: try fixture.account().text, audience: [audience],
                expiresAt: now + .seconds(60), issuedAt: now,
                sessionID: try #require(SessionID(key: 5)).text, authenticatedAt: now))
    }

    @Test("a shorter life in the settings applies to tokens issued before")
    func shorterLife() async throws {
        #expect(AccessTokens.Life(mean: .seconds(600)).longest == .seconds(631))
        let token = try await signedByOurs(
            type: "at+jwt", audience: "postern", issuer: "postern")
        let tokens = fixture.service.sessions.accessTokens
        let shorter = AccessTokens(
            life: AccessTokens.Life(mean: .seconds(30)), keys: tokens.keys, issuer: tokens.issuer,
            audience: tokens.audience, extra: nil, overridden: tokens.overridden)
        let issued = try #require(shorter.known(token)).token.issuedAt
        // The second that `iat` truncates, and the jitter of 5 %.
        #expect(shorter.known(token)?.token.expiresAt == issued + .milliseconds(32_500))
    }

    @Test("S-07: sessions that ended within the last token life are known after a restart")
    func afterRestart() async throws {
        let old = try await fixture.open()
        _ = try await fixture.signOut(.accessToken(old.accessToken))
        fixture.time.advance(by: .seconds(500))
        let young = try await fixture.open()
        _ = try await fixture.signOut(.accessToken(young.accessToken))
        fixture.time.advance(by: .seconds(300))
        try await fixture.restart()
        #expect(!fixture.validate(young.accessToken).valid)
        #expect(!fixture.validate(old.accessToken).valid)
    }

    @Test("ended sessions are removed once their access tokens have expired")
    func forgets() throws {
        let retention = Duration.seconds(700)
        let ended = RevokedSessions(retention: retention, wakeSignal: WakeSignal())
        let start = Timestamp(milliseconds: 1_000_000_000)
        for number in 1...100_000 {
            let id = try #require(SessionID(key: Int64(number)))
            ended.insert([RevokedSession(id: id, at: start + .seconds(number))])
        }
        #expect(ended.count <= 2_048)
        for number in 99_301...100_000 {
            #expect(ended.contains(try #require(SessionID(key: Int64(number)))))
        }
        #expect(!ended.contains(try #require(SessionID(key: 1))))
    }
}
