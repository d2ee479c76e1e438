import Cryptography
import Messages
import ServiceRuntime
import TestSupport
import Testing

@testable import SessionService

@Suite("The session service rejects forged tokens")
struct TokenAttackTests {
    @Test("S-01: a forged token does not validate, reveal anything, sign out or enter the cache")
    func forgeries() async throws {
        let fixture = try await SessionFixture()
        let tokens = try await fixture.open()
        let jwks = try fixture.service.sessions.getKeySet(
            GatewayV1.GetKeySetRequest(), fixture.context()
        )
        .jwks
        let kid = try #require(JSONWebKeySet(json: jwks.utf8).identifiers.first)
        let attacks = try #require(
            try TokenAttacks(on: tokens.accessToken, kid: kid, jwks: jwks))
        // Once before the cache has the real token, and once after.
        for _ in 0..<2 {
            for forgery in try attacks.forgeries() {
                #expect(
                    fixture.validate(forgery.token) == SessionV1.ValidateAccessTokenResponse(),
                    "\(forgery)")
                #expect(try await fixture.inspect(forgery.token).known == false, "\(forgery)")
                // Without a token the metadata are malformed.
                let code = forgery.token.isEmpty ? ErrorCode.invalidArgument : .invalidAccessToken
                await expectRefused(code) {
                    try await fixture.signOut(.accessToken(forgery.token))
                }
            }
            #expect(fixture.validate(tokens.accessToken).valid, "else the rejections prove nothing")
        }
    }

    @Test("S-01: access and refresh tokens are not interchangeable")
    func kinds() async throws {
        let fixture = try await SessionFixture()
        let tokens = try await fixture.open()
        #expect(!fixture.validate(tokens.refreshToken).valid)
        await expectRefused(.invalidRefreshToken) {
            try await fixture.refresh(tokens.accessToken)
        }
        await expectRefused(.invalidRefreshToken) {
            try await fixture.signOut(.refreshToken(tokens.accessToken))
        }
        await expectRefused(.invalidAccessToken) {
            try await fixture.signOut(.accessToken(tokens.refreshToken))
        }
        #expect(fixture.validate(tokens.accessToken).valid)
    }

    @Test("S-01: each token has the operator's claims; registered names are rejected at start")
    func extraClaims() async throws {
        let fixture = try await SessionFixture(
            flags: ["--token-claims", #"{"tenant":"blue","level":3}"#])
        let token = try await fixture.open().accessToken
        let payload = try #require(token.split(separator: ".").dropFirst().first)
        let bytes = try #require(Base64URL.decode(payload.utf8))
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.contains(#""tenant":"blue","level":3"#))
        #expect(fixture.validate(token).valid)
        for claims in [
            #"{"sub":"acc_1"}"#, #"{"exp":1}"#, #"{"acr":"aal2"}"#, "[]", "{", #"{"a":1,"a":2}"#,
        ] {
            #expect(throws: SettingsRefused.self, "\(claims)") {
                try SessionFixture.settings(["--token-claims", claims])
            }
        }
    }

    @Test("S-07: a validated token is rejected once it expires or its session ends")
    func cached() async throws {
        let fixture = try await SessionFixture()
        let first = try await fixture.open()
        let second = try await fixture.open()
        for _ in 0..<3 { #expect(fixture.validate(first.accessToken).valid) }
        #expect(fixture.validate(second.accessToken).valid)
        _ = try await fixture.signOut(.accessToken(first.accessToken))
        #expect(!fixture.validate(first.accessToken).valid)
        let expiry = Timestamp(milliseconds: second.accessExpiresAtMs)
        fixture.time.advance(by: expiry - fixture.time.now() - .milliseconds(1))
        #expect(fixture.validate(second.accessToken).valid)
        fixture.time.advance(by: .milliseconds(1))
        #expect(!fixture.validate(second.accessToken).valid)
    }
}
