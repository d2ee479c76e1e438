import Cryptography
import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import SessionService

@Suite("G-10: a refresh token key that another instance has made is accepted")
struct OtherInstanceKeyTests {
    let fixture: SessionFixture
    /// The keys of another instance on the same store.
    let other: RefreshTokenKeys

    init() async throws {
        fixture = try await SessionFixture()
        other = try await RefreshTokenKeys.load(
            from: fixture.store, box: fixture.service.sessions.keys.tokenKeys,
            schedule: fixture.service.sessions.refreshTokens.schedule,
            randomness: fixture.randomness, logger: CapturedLog().logger(time: fixture.time))
    }

    private var own: RefreshTokenSeal {
        fixture.service.sessions.refreshTokens.seal(at: fixture.time.now())
    }

    /// The first token of a new session.
    private func opened() async throws -> RefreshToken {
        try #require(own.token(try await fixture.open().refreshToken))
    }

    /// `token` under the newest key in the store.
    private func text(of token: RefreshToken) async throws -> String {
        let stored = try await fixture.store.read { try $0.tokenKeys() }
        let newest = try #require(stored.first { $0.supersededAt == nil })
        let box = fixture.service.sessions.keys.tokenKeys
        let key = KeyedHash(key: try box.openSecret(newest.sealed, at: .tokenKey(newest.id)))
        let seal = try #require(RefreshTokenSeal(current: newest.id, keys: [newest.id: key]))
        return seal.text(of: token)
    }

    /// A text in the form of a token, with this key id.
    private func random(_ key: UInt8) -> String {
        Base64URL.encode([2, key] + fixture.randomness.bytes(31))
    }

    @Test("a token under a key that was made since is accepted, once the keys are read again")
    func accepted() async throws {
        let token = try await opened()
        try await other.renew(in: fixture.store, isRequested: true)
        let text = try await text(of: token)
        #expect(own.token(text) == nil)
        #expect(own.lacksKey(of: text))
        _ = try await fixture.refresh(text)
        #expect(own.token(text) == token)
    }

    @Test("a sign-out with a token under a key that was made since ends its session")
    func signOut() async throws {
        let token = try await opened()
        try await other.renew(in: fixture.store, isRequested: true)
        let text = try await text(of: token)
        #expect(try await fixture.signOut(.refreshToken(text)) == 1)
    }

    @Test("A-01: random key ids cause one reload a second, and its result holds for that second")
    func limited() async throws {
        let token = try await opened()
        await expectRefused(.invalidRefreshToken) { try await fixture.refresh(random(200)) }
        try await other.renew(in: fixture.store, isRequested: true)
        let text = try await text(of: token)
        for key in UInt8(3)...255 {
            await expectRefused(.invalidRefreshToken) { try await fixture.refresh(random(key)) }
        }
        await expectRefused(.invalidRefreshToken) { try await fixture.refresh(text) }
        fixture.time.advance(by: RefreshTokenKeys.reloadEvery - .milliseconds(1))
        await expectRefused(.invalidRefreshToken) { try await fixture.refresh(text) }
        fixture.time.advance(by: .milliseconds(1))
        _ = try await fixture.refresh(text)
    }

    @Test("a forged token of a known key, and a text that is no token, cause no reload")
    func known() {
        #expect(!own.lacksKey(of: random(1)))
        #expect(own.lacksKey(of: random(2)))
        for text in ["", "x", String(random(2).dropLast()), random(2) + "A"] {
            #expect(!own.lacksKey(of: text))
        }
    }

    @Test("once the keys are read again, a rotation by another instance takes effect here too")
    func followed() async throws {
        try await other.renew(in: fixture.store, isRequested: true)
        try await fixture.service.sessions.refreshTokens.reload(from: fixture.store)
        let token = try await opened()
        #expect(Base64URL.decode(own.text(of: token).utf8)?[1] == 1)
        fixture.time.advance(by: RefreshTokenKeys.announcedFor)
        #expect(Base64URL.decode(own.text(of: token).utf8)?[1] == 2)
    }
}
