import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import SessionService

@Suite("S-02: the service enforces idle and absolute limits")
struct SessionLimitsTests {
    let fixture: SessionFixture

    init() async throws {
        fixture = try await SessionFixture()
    }

    @Test("S-02: a session refreshes one millisecond before 30 idle days and has ended at 30 days")
    func idle() async throws {
        let day = Duration.seconds(86_400)
        let used = try await fixture.open()
        let lost = try await fixture.open()
        fixture.time.advance(by: day * 30 - .milliseconds(1))
        let leaf = try await fixture.refresh(used.refreshToken)
        fixture.time.advance(by: .milliseconds(1))
        await expectRefused(.sessionEnded) { try await fixture.refresh(lost.refreshToken) }
        let state = try await fixture.inspect(lost.accessToken)
        #expect(state.known && !state.live && state.endReason == .inactive)
        #expect(try await fixture.audited(.sessionEnded) == 1)
        _ = try await fixture.refresh(leaf.refreshToken)
    }

    @Test("S-02: a session refreshes one millisecond before 90 days and has ended at 90 days")
    func age() async throws {
        let day = Duration.seconds(86_400)
        var leaf = try await fixture.open()
        for _ in 1...4 {
            fixture.time.advance(by: day * 20)
            leaf = try await fixture.refresh(leaf.refreshToken)
        }
        fixture.time.advance(by: day * 10 - .milliseconds(1))
        leaf = try await fixture.refresh(leaf.refreshToken)
        #expect(leaf.idleExpiresAtMs == leaf.expiresAtMs)
        fixture.time.advance(by: .milliseconds(1))
        #expect(!fixture.validate(leaf.accessToken).valid, "no access token outlives its session")
        await expectRefused(.sessionEnded) { try await fixture.refresh(leaf.refreshToken) }
        #expect(try await fixture.inspect(leaf.accessToken).endReason == .maximumAge)
    }

    @Test("S-02: the reason is reported before the end has been recorded")
    func unnoted() async throws {
        let tokens = try await fixture.open()
        fixture.time.advance(by: .seconds(31 * 86_400))
        let state = try await fixture.inspect(tokens.accessToken)
        #expect(state.known && !state.live && state.endReason == .inactive)
    }

    @Test("invalid settings are rejected")
    func settings() throws {
        for flags in [
            ["--session-idle-max", "91d"], ["--session-idle-max", "1s"],
            ["--access-token-life", "2h"], ["--access-token-life", "0"],
            ["--access-token-life", "1h", "--session-idle-max", "30m"],
        ] {
            #expect(throws: SettingsRefused.self) { try SessionFixture.settings(flags) }
        }
        _ = try SessionFixture.settings(["--session-idle-max", "10m"])
    }
}
