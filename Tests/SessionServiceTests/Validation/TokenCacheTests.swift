import Contracts
import Messages
import ServiceRuntime
import TestSupport
import Testing

@testable import SessionService

@Suite("S-01: the token cache finds verified tokens")
struct TokenCacheTests {
    private let tokens = TokenCache()

    @Test("S-01: only the exact bytes of a cached token find it")
    func exact() async throws {
        let known = try await known("head.body.signature-K")
        tokens.insert(known, for: "head.body.signature-K")
        #expect(tokens["head.body.signature-K"] === known)
        for other in [
            "head.bodY.signature-K", "head.body.signature-\u{212A}", "xhead.body.signature-K",
            "ead.body.signature-K", "gnature-K", "K", "", "head.body.signature-K\0",
        ] {
            #expect(tokens[other] == nil, "\(other)")
        }
    }

    @Test("S-01: the cache keeps the latest tokens and never more than its maximum")
    func bounded() async throws {
        let countMax = TokenCache.countMax
        let one = try await known("")
        func text(_ number: Int) -> String { "token \(10_000_000 + number)" }
        for number in 0..<(3 * countMax) {
            tokens.insert(CachedToken(one.token, text: text(number), keys: 0), for: text(number))
        }
        let cached = (0..<(3 * countMax)).filter { tokens[text($0)] != nil }
        #expect(cached.count <= countMax && cached.count >= countMax / 2)
        #expect(cached.suffix(countMax / 2).elementsEqual((5 * countMax / 2)..<(3 * countMax)))
    }

    @Test("B21: an expired token is removed even if no other is added")
    func expired() async throws {
        let fixture = try await SessionFixture()
        let opened = try await fixture.open()
        let token = try #require(
            fixture.service.sessions.accessTokens.known(opened.accessToken)?.token)
        tokens.insert(CachedToken(token, text: "token one", keys: 0), for: "token one")
        tokens.forget(expiredAt: token.expiresAt - .milliseconds(1))
        #expect(tokens.count == 1)
        tokens.forget(expiredAt: token.expiresAt)
        #expect(tokens.count == 0)
    }

    @Test("S-07: a cached token gives the same response until it is no longer valid")
    func answers() async throws {
        let fixture = try await SessionFixture()
        let tokens = try await fixture.open()
        let first = fixture.validate(tokens.accessToken)
        #expect(first.valid && fixture.validate(tokens.accessToken) == first)
        fixture.time.advance(
            by: Timestamp(milliseconds: tokens.accessExpiresAtMs) - fixture.time.now())
        #expect(fixture.validate(tokens.accessToken) == SessionV1.ValidateAccessTokenResponse())
    }

    private func known(_ text: String) async throws -> CachedToken {
        let fixture = try await SessionFixture()
        let opened = try await fixture.open()
        let token = try #require(
            fixture.service.sessions.accessTokens.known(opened.accessToken)?.token)
        return CachedToken(token, text: text, keys: 0)
    }
}
