import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import SessionService

@Suite("S-05: activity is written to disk in the background")
struct ActivityWriteTests {
    let fixture: SessionFixture

    init() async throws {
        fixture = try await SessionFixture(
            flags: ["--session-idle-max", "10m", "--access-token-life", "10m"])
    }

    private func usedAt() async throws -> Timestamp {
        Timestamp(milliseconds: try await fixture.number("SELECT max(used_at_ms) FROM session"))
    }

    @Test("S-05: a validation writes nothing to disk and keeps its session alive at once")
    func alive() async throws {
        let tokens = try await fixture.open()
        let opened = fixture.time.now()
        fixture.time.advance(by: .seconds(500))
        #expect(fixture.validate(tokens.accessToken).valid)
        #expect(try await usedAt() == opened)
        fixture.time.advance(by: .seconds(599))
        #expect(try await fixture.isLive(tokens))
        _ = try await fixture.refresh(tokens.refreshToken)
    }

    @Test("S-05: an invalid token marks no activity")
    func invalid() async throws {
        let tokens = try await fixture.open()
        fixture.time.advance(by: .seconds(700))
        #expect(!fixture.validate(tokens.accessToken).valid)
        #expect(fixture.service.sessions.memory.activity.count == 0)
    }

    @Test("S-05: marks are written together after an interval, and at a clean stop")
    func written() async throws {
        let (one, two) = (try await fixture.open(), try await fixture.open())
        fixture.time.advance(by: .seconds(100))
        let moment = fixture.time.now()
        for tokens in [one, two] { #expect(fixture.validate(tokens.accessToken).valid) }
        let service = fixture.service
        await withThrowingTaskGroup { group in
            group.addTask { try await service.background.run() }
            // Outbox, heartbeat, maintenance and the five duties.
            await fixture.time.sleepers(8)
            fixture.time.advance(by: .seconds(60))
            while service.sessions.memory.activity.count > 0 { await Task.yield() }
            group.cancelAll()
        }
        #expect(
            try await fixture.number("SELECT min(used_at_ms) FROM session")
                == moment.milliseconds)
        #expect(fixture.validate(one.accessToken).valid)
        await fixture.service.background.writeRemaining()
        #expect(try await usedAt() == moment + .seconds(60))
    }

    @Test("S-05: a crash loses only the last interval, never the time of the last refresh")
    func crash() async throws {
        let tokens = try await fixture.open()
        fixture.time.advance(by: .seconds(300))
        let child = try await fixture.refresh(tokens.refreshToken)
        let refreshed = fixture.time.now()
        fixture.time.advance(by: .seconds(30))
        #expect(fixture.validate(child.accessToken).valid)
        try await fixture.restart()
        #expect(try await usedAt() == refreshed)
        fixture.time.advance(by: .seconds(569))
        #expect(try await fixture.isLive(child))
        fixture.time.advance(by: .seconds(1))
        #expect(try await !fixture.isLive(child))
    }

    @Test("S-05: a late write never moves a session's last use back")
    func forward() async throws {
        let tokens = try await fixture.open()
        fixture.time.advance(by: .seconds(10))
        #expect(fixture.validate(tokens.accessToken).valid)
        fixture.time.advance(by: .seconds(10))
        _ = try await fixture.refresh(tokens.refreshToken)
        let refreshed = fixture.time.now()
        await fixture.service.background.writeRemaining()
        #expect(try await usedAt() == refreshed)
    }
}
