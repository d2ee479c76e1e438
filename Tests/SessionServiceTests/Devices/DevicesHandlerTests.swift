import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import SessionService

@Suite("G-22: an account lists and ends its sessions")
struct DevicesHandlerTests {
    let fixture: SessionFixture

    init() async throws {
        fixture = try await SessionFixture()
    }

    @Test("G-22: the list has device, times, methods and the current session, latest use first")
    func list() async throws {
        let phone = try await fixture.open(on: "Ada's phone")
        let opened = fixture.time.now().milliseconds
        fixture.time.advance(by: .seconds(60))
        let laptop = try await fixture.open(on: "Ada's laptop")
        _ = try await fixture.open(try fixture.account(9), on: "Eve's phone")
        fixture.time.advance(by: .seconds(60))
        #expect(fixture.validate(phone.accessToken).valid)
        fixture.time.advance(by: .seconds(60))
        let list = try await fixture.list(laptop.accessToken)
        #expect(list.map(\.sessionId) == [laptop.sessionId, phone.sessionId])
        #expect(list.map(\.deviceName) == ["Ada's laptop", "Ada's phone"])
        #expect(list.map(\.current) == [true, false])
        #expect(list.map(\.platform) == ["ios", "ios"])
        #expect(list.map(\.amr) == [["pwd"], ["pwd"]])
        #expect(list[1].createdAtMs == opened && list[1].authenticatedAtMs == opened)
        #expect(list[1].lastUsedAtMs == opened + 120_000)
        #expect(list[0].lastUsedAtMs == opened + 180_000, "the list is a use")
    }

    @Test("G-22: ended and timed-out sessions are not listed")
    func gone() async throws {
        let idle = try await fixture.open(on: "idle")
        fixture.time.advance(by: .seconds(30 * 86_400))
        let out = try await fixture.open(on: "signed out")
        let here = try await fixture.open(on: "here")
        #expect(try await fixture.signOut(.accessToken(out.accessToken)) == 1)
        let list = try await fixture.list(here.accessToken)
        #expect(list.map(\.sessionId) == [here.sessionId])
        await expectRefused(.sessionEnded) { try await fixture.list(idle.accessToken) }
        await expectRefused(.sessionEnded) { try await fixture.list(out.accessToken) }
        fixture.time.advance(by: .seconds(700))
        await expectRefused(.sessionEnded) { try await fixture.list(out.accessToken) }
        await expectRefused(.invalidAccessToken) { try await fixture.list(here.accessToken) }
    }

    @Test("G-25: a repeat gets the first answer, also where the call ended its own session")
    func repeated() async throws {
        let (here, lost) = (
            try await fixture.open(on: "here"), try await fixture.open(on: "lost")
        )
        for _ in 0..<2 {
            #expect(try await fixture.endOthers(by: here.accessToken, key: "others") == 1)
        }
        for _ in 0..<2 {
            #expect(try await !fixture.end(lost.sessionId, by: here.accessToken, key: "lost"))
        }
        #expect(try await fixture.end(here.sessionId, by: here.accessToken, key: "here"))
        fixture.time.advance(by: .seconds(700))
        #expect(try await fixture.end(here.sessionId, by: here.accessToken, key: "here"))
        #expect(try await fixture.endOthers(by: here.accessToken, key: "others") == 1)
        await expectRefused(.sessionEnded) {
            try await fixture.end(here.sessionId, by: here.accessToken, key: "another")
        }
        await expectRefused(.idempotencyKeyReused) {
            try await fixture.end(lost.sessionId, by: here.accessToken, key: "here")
        }
        let eve = try await fixture.open(try fixture.account(9), on: "Eve's")
        await expectRefused(.idempotencyKeyReused) {
            try await fixture.end(here.sessionId, by: eve.accessToken, key: "here")
        }
    }

    @Test("G-25: a key that was used in another session of the account ends no other session")
    func keyOfOtherSession() async throws {
        let (here, lost) = (
            try await fixture.open(on: "here"), try await fixture.open(on: "lost")
        )
        #expect(try await fixture.endOthers(by: here.accessToken, key: "k") == 1)
        let new = try await fixture.open(on: "new")
        await expectRefused(.idempotencyKeyReused) {
            try await fixture.endOthers(by: new.accessToken, key: "k")
        }
        #expect(try await fixture.endOthers(by: new.accessToken, key: "l") == 1)
        await expectRefused(.sessionEnded) { try await fixture.list(lost.accessToken) }
    }

    @Test("G-22: a session ends another of its account, whose tokens fail; repeating is no error")
    func end() async throws {
        let (here, lost) = (
            try await fixture.open(on: "here"), try await fixture.open(on: "lost")
        )
        #expect(try await fixture.end(lost.sessionId, by: here.accessToken))
        #expect(!fixture.validate(lost.accessToken).valid)
        await expectRefused(.sessionEnded) { try await fixture.refresh(lost.refreshToken) }
        #expect(try await !fixture.end(lost.sessionId, by: here.accessToken))
        #expect(fixture.validate(here.accessToken).valid)
        #expect(try await fixture.end(here.sessionId, by: here.accessToken), "itself too")
        #expect(!fixture.validate(here.accessToken).valid)
    }

    @Test("G-22: another account's session, an unknown one and an invalid id give the same error")
    func strangers() async throws {
        let ada = try await fixture.open(on: "Ada's")
        let eve = try await fixture.open(try fixture.account(9), on: "Eve's")
        let unknown = try #require(SessionID(key: 4_711)).text
        for name in [ada.sessionId, unknown, "ses_nonsense", "", "acc_0000000000001"] {
            await expectRefused(.sessionNotFound) {
                try await fixture.end(name, by: eve.accessToken)
            }
        }
        #expect(fixture.validate(ada.accessToken).valid)
        #expect(try await fixture.list(eve.accessToken).count == 1)
    }

    @Test("S-06: EndOtherSessions ends all sessions except the caller's")
    func endOthers() async throws {
        let here = try await fixture.open(on: "here")
        var others: [GatewayV1.Session] = []
        for number in 1...3 { others.append(try await fixture.open(on: "other \(number)")) }
        let eve = try await fixture.open(try fixture.account(9), on: "Eve's")
        #expect(try await fixture.endOthers(by: here.accessToken) == 3)
        #expect(try await fixture.endOthers(by: here.accessToken) == 0)
        #expect(fixture.validate(here.accessToken).valid)
        #expect(fixture.validate(eve.accessToken).valid)
        for other in others {
            #expect(!fixture.validate(other.accessToken).valid)
            #expect(try await fixture.inspect(other.accessToken).endReason == .signedOut)
        }
    }

    @Test("an expired, forged or refresh token lists and ends nothing")
    func tokens() async throws {
        let (here, other) = (
            try await fixture.open(on: "here"), try await fixture.open(on: "other")
        )
        for token in [here.refreshToken, "x.y.z"] {
            await expectRefused(.invalidAccessToken) { try await fixture.endOthers(by: token) }
        }
        fixture.time.advance(by: .seconds(700))
        await expectRefused(.invalidAccessToken) {
            try await fixture.end(other.sessionId, by: here.accessToken)
        }
        #expect(try await fixture.isLive(other))
    }

    @Test("a long device name is cut between characters; a missing one is empty")
    func names() async throws {
        let long = String(repeating: "é", count: 100)
        let tokens = try await fixture.open(on: long)
        _ = try await fixture.open(on: "")
        let names = try await fixture.list(tokens.accessToken).map(\.deviceName)
        #expect(Set(names) == [String(repeating: "é", count: 32), ""])
    }
}
