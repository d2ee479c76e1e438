import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import SessionService

@Suite("Upkeep: ends that nobody met are noted, and old ones erased")
struct SessionUpkeepTests {
    private static let day = Duration.seconds(86_400)
    let fixture: SessionFixture

    init() async throws {
        fixture = try await SessionFixture(flags: ["--ended-sessions-kept", "10d"])
    }

    private func step() async {
        let upkeep = SessionUpkeep(
            parts: fixture.service.parts, kept: Self.day * 10,
            logger: fixture.log.logger(time: fixture.time))
        await upkeep.step()
    }

    @Test("S-02: an idle session's end is noted without anyone asking, a live one stays")
    func sweep() async throws {
        for number in 0..<300 {
            _ = try await fixture.open(try fixture.account(Int64(number) + 1))
        }
        fixture.time.advance(by: Self.day * 30)
        let live = try await fixture.open()
        await step()
        #expect(
            try await fixture.number("SELECT count(*) FROM session WHERE end_reason = 2") == 300)
        #expect(try await fixture.isLive(live))
        #expect(try await fixture.audited(.sessionEnded) == 300)
    }

    @Test("an ended session is erased when its reason has been kept for long enough, not before")
    func erase() async throws {
        let tokens = try await fixture.open()
        let live = try await fixture.open()
        #expect(try await fixture.signOut(.accessToken(tokens.accessToken)) == 1)
        fixture.time.advance(by: Self.day * 10)
        await step()
        #expect(try await fixture.inspect(tokens.accessToken).endReason == .signedOut)
        fixture.time.advance(by: .milliseconds(1))
        await step()
        #expect(try await !fixture.inspect(tokens.accessToken).known)
        #expect(try await fixture.isLive(live))
    }
}
