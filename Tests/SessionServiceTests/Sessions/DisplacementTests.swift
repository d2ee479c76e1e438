import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import SessionService

@Suite("S-03: the number of an account's live sessions is limited")
struct DisplacementTests {
    @Test("S-03: the sixth sign-in ends the least recently used session, with that reason")
    func sixth() async throws {
        let fixture = try await SessionFixture()
        var opened: [GatewayV1.Session] = []
        for number in 1...5 {
            opened.append(try await fixture.open(on: "phone \(number)"))
            fixture.time.advance(by: .seconds(60))
        }
        // The first session is used again, so the second is the least recent.
        _ = try await fixture.refresh(opened[0].refreshToken)
        let sixth = try await fixture.open(on: "tablet")
        #expect(fixture.validate(sixth.accessToken).valid)
        #expect(!fixture.validate(opened[1].accessToken).valid, "at once, its access token too")
        let state = try await fixture.inspect(opened[1].accessToken)
        #expect(!state.live && state.endReason == .displaced)
        await expectRefused(.sessionEnded) {
            try await fixture.refresh(opened[1].refreshToken)
        }
        for index in [0, 2, 3, 4] { #expect(try await fixture.isLive(opened[index])) }
    }

    @Test("S-05: a session that is only validated is in use and is not displaced")
    func validated() async throws {
        let fixture = try await SessionFixture(flags: ["--sessions-max", "2"])
        let first = try await fixture.open(on: "one")
        fixture.time.advance(by: .seconds(10))
        let second = try await fixture.open(on: "two")
        fixture.time.advance(by: .seconds(10))
        #expect(fixture.validate(first.accessToken).valid)
        _ = try await fixture.open(on: "three")
        #expect(try await fixture.isLive(first))
        #expect(try await !fixture.isLive(second))
    }

    @Test("S-03: timed-out sessions and other accounts' sessions do not count")
    func others() async throws {
        let fixture = try await SessionFixture(flags: ["--sessions-max", "2"])
        let idle = try await fixture.open(on: "old")
        let stranger = try await fixture.open(try fixture.account(7), on: "stranger's")
        fixture.time.advance(by: .seconds(30 * 86_400))
        let one = try await fixture.open(on: "one")
        let two = try await fixture.open(on: "two")
        #expect(try await fixture.inspect(idle.accessToken).endReason == .inactive)
        #expect(try await fixture.inspect(stranger.accessToken).endReason == .inactive)
        #expect(try await fixture.isLive(one))
        #expect(try await fixture.isLive(two))
    }

    @Test("S-03: of 50 parallel sign-ins five remain, and each other one gives a notice")
    func parallel() async throws {
        let fixture = try await SessionFixture()
        let account = try fixture.account()
        let requests = (0..<50).map { _ in
            SessionV1.CreateSessionRequest(proof: fixture.proof(account))
        }
        let (service, context) = (fixture.service, fixture.context())
        let opened = try await withThrowingTaskGroup(of: GatewayV1.Session?.self) { group in
            for request in requests {
                group.addTask { try await service.sessions.createSession(request, context).session }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(opened.compactMap(\.self).count == 50)
        let live = try await fixture.number(
            "SELECT count(*) FROM session WHERE ended_at_ms IS NULL")
        #expect(live == 5)
        let good = opened.compactMap(\.self).filter { fixture.validate($0.accessToken).valid }
        #expect(good.count == 5)
        #expect(try await fixture.waiting() == 45)
    }

    @Test("a repeated call opens no other session and displaces none")
    func repeated() async throws {
        let fixture = try await SessionFixture(flags: ["--sessions-max", "1"])
        let first = try await fixture.open(key: "k1")
        let again = try await fixture.open(key: "k1")
        #expect(first.sessionId == again.sessionId)
        #expect(try await fixture.isLive(first))
    }

    @Test("invalid limits are rejected", arguments: ["0", "101", "x"])
    func settings(text: String) {
        #expect(throws: SettingsRefused.self) {
            try SessionFixture.settings(["--sessions-max", text])
        }
    }
}
