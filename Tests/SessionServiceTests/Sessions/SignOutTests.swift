import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import SessionService

@Suite("G-09: a sign-out ends sessions")
struct SignOutTests {
    let fixture: SessionFixture

    init() async throws {
        fixture = try await SessionFixture()
    }

    @Test("S-06: after a sign-out both tokens are rejected, and the reason is reported")
    func ends() async throws {
        let tokens = try await fixture.open()
        #expect(try await fixture.signOut(.accessToken(tokens.accessToken)) == 1)
        #expect(!fixture.validate(tokens.accessToken).valid)
        await expectRefused(.sessionEnded) { try await fixture.refresh(tokens.refreshToken) }
        let state = try await fixture.inspect(tokens.accessToken)
        #expect(!state.live && state.endReason == .signedOut && state.accessTokenCurrent)
        #expect(try await fixture.audited(.sessionEnded) == 1)
    }

    @Test("G-09: an expired access token signs out")
    func expired() async throws {
        let tokens = try await fixture.open()
        fixture.time.advance(by: .seconds(86_400))
        #expect(try await fixture.signOut(.accessToken(tokens.accessToken)) == 1)
        await expectRefused(.sessionEnded) { try await fixture.refresh(tokens.refreshToken) }
    }

    @Test("G-09: a refresh token that could be used signs out; any other is a replay")
    func byRefreshToken() async throws {
        let tokens = try await fixture.open()
        let child = try await fixture.refresh(tokens.refreshToken)
        #expect(try await fixture.signOut(.refreshToken(child.refreshToken)) == 1)
        #expect(!fixture.validate(child.accessToken).valid)

        let lost = try await fixture.open()
        let unseen = try await fixture.refresh(lost.refreshToken)
        #expect(try await fixture.signOut(.refreshToken(lost.refreshToken)) == 1)
        #expect(!fixture.validate(unseen.accessToken).valid)

        let other = try await fixture.open()
        let leaf = try await fixture.refresh(other.refreshToken)
        #expect(fixture.validate(leaf.accessToken).valid)
        await expectRefused(.refreshTokenReplayed) {
            try await fixture.signOut(.refreshToken(other.refreshToken))
        }
        #expect(!fixture.validate(leaf.accessToken).valid)
        #expect(try await fixture.inspect(leaf.accessToken).endReason == .replayed)
    }

    @Test("G-09: signing out twice is no error and ends nothing more")
    func twice() async throws {
        let tokens = try await fixture.open()
        #expect(try await fixture.signOut(.refreshToken(tokens.refreshToken)) == 1)
        #expect(try await fixture.signOut(.refreshToken(tokens.refreshToken)) == 0)
        #expect(try await fixture.signOut(.accessToken(tokens.accessToken)) == 0)
        #expect(try await fixture.audited(.sessionEnded) == 1)
    }

    @Test("G-25: a repeat gets the first answer, also when its token has expired since")
    func repeated() async throws {
        let account = try fixture.account()
        let (one, two) = (try await fixture.open(account), try await fixture.open(account))
        #expect(try await fixture.signOut(.refreshToken(one.refreshToken), key: "one") == 1)
        let token = SessionFixture.SignOutToken.accessToken(two.accessToken)
        #expect(try await fixture.signOut(token, all: true, key: "all") == 1)
        fixture.time.advance(by: .seconds(700))
        #expect(try await fixture.signOut(token, all: true, key: "all") == 1)
        #expect(try await fixture.signOut(.refreshToken(one.refreshToken), key: "one") == 1)
        #expect(try await fixture.audited(.sessionEnded) == 2)
        await expectRefused(.idempotencyKeyReused) { try await fixture.signOut(token, key: "all") }
        let eve = try await fixture.open(try fixture.account(43))
        await expectRefused(.idempotencyKeyReused) {
            try await fixture.signOut(.accessToken(eve.accessToken), all: true, key: "all")
        }
        #expect(try await fixture.isLive(eve))
    }

    @Test("G-25: a key that was used in another session of the account signs no session out")
    func keyOfOtherSession() async throws {
        let account = try fixture.account()
        let (one, two) = (try await fixture.open(account), try await fixture.open(account))
        #expect(try await fixture.signOut(.accessToken(one.accessToken), key: "k") == 1)
        await expectRefused(.idempotencyKeyReused) {
            try await fixture.signOut(.accessToken(two.accessToken), key: "k")
        }
        #expect(try await fixture.signOut(.accessToken(two.accessToken), key: "l") == 1)
        #expect(try await fixture.signOut(.refreshToken(two.refreshToken), key: "l") == 1)
    }

    @Test("S-06: signing out everywhere ends all sessions of the account and of no other")
    func all() async throws {
        let account = try fixture.account()
        let mine = [
            try await fixture.open(account), try await fixture.open(account),
            try await fixture.open(account),
        ]
        let other = try await fixture.open(try fixture.account(43))
        #expect(try await fixture.signOut(.accessToken(mine[1].accessToken), all: true) == 3)
        for tokens in mine {
            #expect(!fixture.validate(tokens.accessToken).valid)
            await expectRefused(.sessionEnded) {
                try await fixture.refresh(tokens.refreshToken)
            }
        }
        #expect(fixture.validate(other.accessToken).valid)
    }

    @Test("S-06: an expired access token cannot end all sessions and gets an error")
    func allByExpired() async throws {
        let (mine, other) = (try await fixture.open(), try await fixture.open())
        fixture.time.advance(by: .seconds(700))
        for _ in 0..<2 {
            await expectRefused(.invalidAccessToken) {
                try await fixture.signOut(.accessToken(mine.accessToken), all: true)
            }
            fixture.time.advance(by: .seconds(86_400))
        }
        for tokens in [mine, other] { #expect(try await fixture.isLive(tokens)) }
        let child = try await fixture.refresh(mine.refreshToken)
        #expect(try await fixture.signOut(.accessToken(child.accessToken), all: true) == 2)
    }

    @Test("a token of an ended session ends no other session")
    func endedSession() async throws {
        let stale = try await fixture.open()
        _ = try await fixture.signOut(.accessToken(stale.accessToken))
        let live = try await fixture.open()
        #expect(try await fixture.signOut(.accessToken(stale.accessToken), all: true) == 0)
        #expect(try await fixture.signOut(.refreshToken(stale.refreshToken), all: true) == 0)
        #expect(fixture.validate(live.accessToken).valid)
    }

    @Test("access and refresh tokens are not interchangeable")
    func otherTokens() async throws {
        let tokens = try await fixture.open()
        await expectRefused(.invalidAccessToken) {
            try await fixture.signOut(.accessToken(tokens.refreshToken))
        }
        await expectRefused(.invalidRefreshToken) {
            try await fixture.signOut(.refreshToken(tokens.accessToken))
        }
        await expectRefused(.invalidArgument) { try await fixture.signOut(nil) }
        #expect(fixture.validate(tokens.accessToken).valid)
    }

    @Test("S-02: a session that has timed out keeps that reason")
    func overAlready() async throws {
        let tokens = try await fixture.open()
        fixture.time.advance(by: .seconds(31 * 86_400))
        #expect(try await fixture.signOut(.accessToken(tokens.accessToken)) == 0)
        #expect(try await fixture.inspect(tokens.accessToken).endReason == .inactive)
    }
}
