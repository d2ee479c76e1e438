import Cryptography
import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import SessionService

@Suite("G-10: the keys of refresh tokens rotate")
struct RefreshTokenKeyTests {
    private static let day: Duration = .seconds(86_400)

    let fixture: SessionFixture

    init() async throws {
        fixture = try await SessionFixture(
            flags: [
                "--session-idle-max", "90d", "--refresh-key-life", "30d",
                // Keys are accepted as long as the longest session lives: here, 90 days.
                "--session-limits", "anon=90d/90d",
            ])
    }

    private func keyID(_ token: String) throws -> UInt8 {
        try #require(Base64URL.decode(token.utf8))[1]
    }

    @Test("the first call after a key's life makes a new one, used a minute later; old tokens stay")
    func schedule() async throws {
        let first = try await fixture.open()
        #expect(try keyID(first.refreshToken) == 1)
        fixture.time.advance(by: Self.day * 30 - .milliseconds(1))
        #expect(try keyID(try await fixture.open().refreshToken) == 1)
        fixture.time.advance(by: .milliseconds(1))
        #expect(try keyID(try await fixture.open().refreshToken) == 1)
        #expect(try await fixture.audited(.refreshKeyMade) == 2)
        fixture.time.advance(by: RefreshTokenKeys.announcedFor - .milliseconds(1))
        #expect(try keyID(try await fixture.open().refreshToken) == 1)
        fixture.time.advance(by: .milliseconds(1))
        #expect(try keyID(try await fixture.open().refreshToken) == 2)
        let child = try await fixture.refresh(first.refreshToken)
        #expect(try keyID(child.refreshToken) == 2)
        #expect(try await fixture.audited(.refreshKeyMade) == 2)
    }

    @Test("a key is accepted as long as a session from its time can live, and no longer")
    func acceptance() async throws {
        let first = try await fixture.open()
        try await fixture.service.sessions.refreshTokens.renew(in: fixture.store, isRequested: true)
        fixture.time.advance(by: Self.day * 90 - .milliseconds(1))
        try await fixture.service.sessions.refreshTokens.renew(in: fixture.store, isRequested: true)
        _ = try await fixture.refresh(first.refreshToken)
        fixture.time.advance(by: RefreshTokenKeys.announcedFor + .milliseconds(1))
        try await fixture.service.sessions.refreshTokens.renew(in: fixture.store, isRequested: true)
        await expectRefused(.invalidRefreshToken) { try await fixture.refresh(first.refreshToken) }
    }

    @Test("keys survive a restart, and 50 concurrent calls make only one")
    func restart() async throws {
        let tokens = try await fixture.open()
        fixture.time.advance(by: Self.day * 31)
        let (fixture, service) = (fixture, fixture.service)
        let proofs = try (0..<50).map { fixture.proof(try fixture.account(100 + $0)) }
        try await withThrowingTaskGroup { group in
            for proof in proofs {
                let context = fixture.context()
                group.addTask {
                    _ = try await service.sessions.createSession(
                        SessionV1.CreateSessionRequest(proof: proof), context)
                }
            }
            try await group.waitForAll()
        }
        #expect(try await fixture.audited(.refreshKeyMade) == 2)
        try await fixture.restart()
        fixture.time.advance(by: RefreshTokenKeys.announcedFor)
        let child = try await fixture.refresh(tokens.refreshToken)
        #expect(try keyID(child.refreshToken) == 2)
    }

    @Test("a stolen store makes no tokens: keys are encrypted, each bound to its row")
    func sealed() async throws {
        let tokens = try await fixture.open()
        let bytes = try #require(Base64URL.decode(tokens.refreshToken.utf8))
        let stored = try await fixture.store.writeUnchecked { try $0.tokenKeys() }
        let sealed = try #require(stored.first).sealed
        for start in 0...(sealed.count - 32) {
            let key = KeyedHash(key: SecretBytes(copying: sealed[start..<start + 32]))
            #expect(Array(key.hash(bytes[..<17]).prefix(16)) != Array(bytes[17...]))
        }
        let other = SecretBytes(copying: [UInt8](repeating: 9, count: 32))
        await #expect(throws: (any Error).self) { try await fixture.restart(master: other) }
        try await fixture.store.writeUnchecked {
            _ = try $0.execute("UPDATE token_key SET id = id + 1")
        }
        await #expect(throws: SessionKeyError.refreshTokenKeyDoesNotOpen) {
            try await fixture.restart()
        }
    }

    @Test("G-10: if a key cannot be made, that is reported and sign-ins continue")
    func goesOn() async throws {
        for _ in 2...255 {
            try await fixture.service.sessions.refreshTokens.renew(
                in: fixture.store, isRequested: true)
        }
        fixture.time.advance(by: Self.day * 31)
        let first = try await fixture.open()
        #expect(try keyID(first.refreshToken) == 255)
        let child = try await fixture.refresh(first.refreshToken)
        func reports() -> Int {
            fixture.log.lines.count { $0.contains("session.refresh_key.rotate.failed") }
        }
        #expect(reports() == 1, "not with every call")
        fixture.time.advance(by: RefreshTokenKeys.retryEvery)
        _ = try await fixture.refresh(child.refreshToken)
        #expect(reports() == 2)
        fixture.time.advance(by: Self.day * 59)
        #expect(try keyID(try await fixture.open().refreshToken) == 255)
        fixture.time.advance(by: RefreshTokenKeys.announcedFor)
        #expect(try keyID(try await fixture.open().refreshToken) == 1)
    }

    @Test("S-02: the key's life must fit the longest session of any method")
    func longestAge() throws {
        let flags = ["--refresh-key-life", "1d", "--session-limits"]
        _ = try SessionFixture.settings(flags + ["anonymous=30d/200d"])
        #expect(throws: SettingsRefused.self) {
            try SessionFixture.settings(flags + ["anonymous=30d/201d"])
        }
    }

    @Test("at most 255 keys exist: the next is rejected until an old one is removed")
    func exhausted() async throws {
        for _ in 2...255 {
            try await fixture.service.sessions.refreshTokens.renew(
                in: fixture.store, isRequested: true)
        }
        await expectRefused(.resourceExhausted) {
            try await fixture.service.sessions.refreshTokens.renew(
                in: fixture.store, isRequested: true)
        }
        fixture.time.advance(by: Self.day * 90 + RefreshTokenKeys.announcedFor)
        _ = try await fixture.open()
        fixture.time.advance(by: RefreshTokenKeys.announcedFor)
        let tokens = try await fixture.open()
        #expect(try keyID(tokens.refreshToken) == 1)
        #expect(
            try await fixture.store.read {
                try $0.queryOne("SELECT count(*) FROM token_key") { try $0.integer(0) }
            } == 2)
    }
}
