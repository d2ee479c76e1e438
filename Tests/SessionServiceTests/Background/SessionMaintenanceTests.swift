import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import SessionService

@Suite("Upkeep: timed-out sessions are recorded as ended, and old ones erased")
struct SessionMaintenanceTests {
    private static let day = Duration.seconds(86_400)
    let fixture: SessionFixture

    init() async throws {
        fixture = try await SessionFixture(flags: ["--ended-sessions-kept", "10d"])
    }

    private var upkeep: SessionMaintenance {
        let sessions = fixture.service.sessions
        return SessionMaintenance(
            store: fixture.store, settings: sessions.settings, memory: sessions.memory,
            keys: sessions.accessTokens.keys, refreshTokens: sessions.refreshTokens,
            time: fixture.time, logger: fixture.log.logger(time: fixture.time))
    }

    @Test("S-02: an idle session's end is recorded without a call; a live session stays")
    func sweep() async throws {
        for number in 0..<300 {
            _ = try await fixture.open(try fixture.account(Int64(number) + 1))
        }
        fixture.time.advance(by: Self.day * 30)
        let live = try await fixture.open()
        try await upkeep.step()
        #expect(
            try await fixture.number("SELECT count(*) FROM session WHERE end_reason = 2") == 300)
        #expect(try await fixture.isLive(live))
        #expect(try await fixture.audited(.sessionEnded) == 300)
    }

    @Test("the search for timed-out sessions does not use the writer")
    func beside() async throws {
        for _ in 0..<20 {
            let tokens = try await fixture.open()
            _ = try await fixture.signOut(.accessToken(tokens.accessToken))
        }
        _ = try await fixture.open()
        let upkeep = upkeep
        let wasHeld = try await HeldWriter().during(fixture.store) {
            let hasMore = try await upkeep.sweep()
            #expect(!hasMore)
        }
        #expect(wasHeld, "the sweep waited for the writer")
    }

    @Test("S-02: a session used after it was found timed out stays live")
    func usedMeanwhile() async throws {
        let tokens = try await fixture.open()
        fixture.time.advance(by: Self.day * 30)
        let late = fixture.time.now()
        let id = try await fixture.store.read { try $0.openSessions(after: 0, limit: 1)[0].id }
        try await fixture.store.writeUnchecked {
            _ = try $0.execute(
                "UPDATE session SET used_at_ms = ? WHERE id = ?",
                [SQLValue(late), .integer(id.key)])
        }
        try await upkeep.recordEnds(of: [id])
        #expect(try await fixture.isLive(tokens))
    }

    @Test("an ended session is erased only after its reason has been stored long enough")
    func erase() async throws {
        let tokens = try await fixture.open()
        let live = try await fixture.open()
        #expect(try await fixture.signOut(.accessToken(tokens.accessToken)) == 1)
        fixture.time.advance(by: Self.day * 10)
        try await fixture.purge()
        #expect(try await fixture.inspect(tokens.accessToken).endReason == .signedOut)
        fixture.time.advance(by: .milliseconds(1))
        try await fixture.purge()
        #expect(try await !fixture.inspect(tokens.accessToken).known)
        #expect(try await fixture.isLive(live))
    }
}
