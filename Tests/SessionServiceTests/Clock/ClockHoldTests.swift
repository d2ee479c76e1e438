import Hosting
import Messages
import RPC
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import SessionService

@Suite(
    "Clock: a start with a wrong clock ends no session", .enabled(if: TestStore.runs("*Clock*")))
struct ClockHoldTests {
    private static let day = Duration.seconds(86_400)
    let fixture: SessionFixture

    init() async throws {
        fixture = try await SessionFixture()
    }

    private func start(after gap: Duration) async throws {
        fixture.time.restartAfterBoot(at: fixture.time.now() + gap)
        try await fixture.restart()
    }

    private var clock: StoreClock { StoreClock(fixture.store, time: fixture.time) }

    private func isWaiting() -> Bool {
        clock.check(ClockV1.CheckRequest(), fixture.context()).waiting
    }

    @Test("a start up to a day later continues normally")
    func night() async throws {
        let tokens = try await fixture.open()
        try await start(after: Self.day)
        #expect(!isWaiting())
        _ = try await fixture.refresh(tokens.refreshToken)
    }

    @Test("a start years ahead returns unavailable, ends nothing, and waits for the operator")
    func farAhead() async throws {
        let tokens = try await fixture.open()
        let before = fixture.time.now()
        try await start(after: Self.day * 3_650)
        #expect(isWaiting())
        await expectRefused(.unavailable) { try await fixture.refresh(tokens.refreshToken) }
        await expectRefused(.unavailable) { try await fixture.open() }
        await expectRefused(.unavailable) { try await fixture.inspect(tokens.accessToken) }
        await expectRefused(.unavailable) { try await fixture.list(tokens.accessToken) }
        #expect(throws: ServiceError.self) {
            try fixture.service.sessions.validateAccessToken(
                SessionV1.ValidateAccessTokenRequest(accessToken: tokens.accessToken),
                fixture.context())
        }
        #expect(fixture.time.now() == before, "the time continues from the stored mark")
        #expect(try await fixture.number("SELECT count(*) FROM session WHERE ended_at_ms > 0") == 0)
        #expect(fixture.log.lines.contains { $0.contains("postern clock accept") })
    }

    @Test("signing out works meanwhile")
    func signOut() async throws {
        let tokens = try await fixture.open()
        try await start(after: Self.day * 3_650)
        #expect(try await fixture.signOut(.accessToken(tokens.accessToken)) == 1)
    }

    @Test(
        "the operator's confirmation sets the time, and it is not asked for again after a restart")
    func accepted() async throws {
        let tokens = try await fixture.open()
        let gap = Self.day * 20
        let moment = fixture.time.now() + gap
        try await start(after: gap)
        // A compromised gateway must not be able to confirm a wrong clock.
        await #expect(throws: CallContext.onlyOperators) {
            try await clock.accept(ClockV1.AcceptRequest(), fixture.context())
        }
        let answer = try await clock.accept(
            ClockV1.AcceptRequest(), fixture.context(from: "tool"))
        #expect(answer.wasWaiting && answer.nowMs == moment.milliseconds)
        #expect(!isWaiting())
        _ = try await fixture.refresh(tokens.refreshToken)
        let again = try await clock.accept(
            ClockV1.AcceptRequest(), fixture.context(from: "tool"))
        #expect(!again.wasWaiting)
        #expect(try await fixture.audited(.clockAccepted) == 1)
        try await start(after: .zero)
        #expect(!isWaiting())
    }

    @Test("B15: a step forward at run time can be accepted: tokens and restarts then use it")
    func acceptedStep() async throws {
        let tokens = try await fixture.open()
        let before = fixture.time.now()
        fixture.time.stepWallClock(by: .seconds(5 * 3_600))
        // Killed and restarted in the same boot, it continues from the counted time.
        fixture.time.startAgain()
        try await fixture.restart()
        #expect(fixture.time.now() == before)
        let answer = try await clock.accept(ClockV1.AcceptRequest(), fixture.context(from: "tool"))
        #expect(!answer.wasWaiting && answer.nowMs == (before + .seconds(5 * 3_600)).milliseconds)
        #expect(try await fixture.audited(.clockAccepted) == 1)
        let issued = try await fixture.refresh(tokens.refreshToken)
        #expect(issued.answeredAtMs == answer.nowMs)
        fixture.time.startAgain()
        try await fixture.restart()
        #expect(fixture.time.now().milliseconds == answer.nowMs)
        let again = try await clock.accept(ClockV1.AcceptRequest(), fixture.context(from: "tool"))
        #expect(again.nowMs == answer.nowMs)
        #expect(try await fixture.audited(.clockAccepted) == 1)
    }

    @Test("a step at run time is reported by health, and everything is served")
    func reported() async throws {
        let tokens = try await fixture.open()
        var failure: PartCondition.Failure? { fixture.store.clock.failure }
        #expect(failure == nil)
        let before = fixture.time.now()
        fixture.time.stepWallClock(by: .seconds(60))
        #expect(failure == nil)
        fixture.time.stepWallClock(by: .seconds(1))
        #expect(failure?.detail.contains("postern clock accept") == true)
        fixture.time.advance(by: .seconds(30))
        #expect(failure?.since == before)
        #expect(!isWaiting())
        _ = try await fixture.refresh(tokens.refreshToken)
        _ = try await clock.accept(ClockV1.AcceptRequest(), fixture.context(from: "tool"))
        #expect(failure == nil)
        fixture.time.stepWallClock(by: .seconds(-3_600))
        #expect(failure?.detail.contains("set that right") == true)
    }

    @Test("B15: a clock that is behind is not accepted: time never goes back")
    func stepBack() async throws {
        _ = try await fixture.open()
        let before = fixture.time.now()
        fixture.time.stepWallClock(by: .seconds(-5 * 3_600))
        let answer = try await clock.accept(ClockV1.AcceptRequest(), fixture.context(from: "tool"))
        #expect(!answer.wasWaiting && answer.nowMs == before.milliseconds)
        #expect(try await fixture.audited(.clockAccepted) == 0)
    }

    @Test("a clock that returns to the right time is accepted without confirmation")
    func comesBack() async throws {
        let tokens = try await fixture.open()
        let before = fixture.time.now()
        try await start(after: Self.day * 3_650)
        #expect(isWaiting())
        fixture.time.stepWallClock(by: .zero - Self.day * 3_650 + .seconds(30))
        #expect(!isWaiting())
        #expect(fixture.time.now() == before + .seconds(30))
        _ = try await fixture.refresh(tokens.refreshToken)
    }

    @Test("a synchronised clock is accepted: a machine off for two days needs no operator")
    func synchronised() async throws {
        let tokens = try await fixture.open()
        try await start(after: Self.day * 2)
        #expect(isWaiting())
        fixture.time.setSynchronised(true)
        #expect(!isWaiting())
        _ = try await fixture.refresh(tokens.refreshToken)
    }

    @Test(
        "after a clock step and a kill, it accepts proofs of an identity that kept running")
    func step() async throws {
        for step in [Duration.seconds(3_600), .seconds(-3_600), Self.day * 3_650] {
            let tokens = try await fixture.open()
            let proof = fixture.proof(try fixture.account(43))
            fixture.time.stepWallClock(by: step)
            fixture.time.startAgain()
            try await fixture.restart()
            #expect(!isWaiting())
            _ = try await fixture.create(proof)
            _ = try await fixture.refresh(tokens.refreshToken)
        }
    }

    @Test("after a restart while it waits for confirmation, it still waits")
    func waitsOn() async throws {
        _ = try await fixture.open()
        let wall = fixture.time.now() + Self.day * 3_650
        try await start(after: Self.day * 3_650)
        fixture.time.advance(by: .seconds(120))
        _ = try await fixture.store.writeUnchecked { try $0.outboxCount() }
        fixture.time.restartAfterBoot(at: wall + .seconds(120))
        try await fixture.restart()
        #expect(isWaiting())
    }

    @Test("a start with a clock that is behind revives no expired session")
    func behind() async throws {
        let tokens = try await fixture.open()
        fixture.time.advance(by: Self.day * 30)
        let late = try await fixture.open()
        #expect(try await !fixture.isLive(tokens))
        let mark = fixture.time.now()
        try await start(after: .zero - Self.day * 29)
        #expect(fixture.time.now() >= mark - .seconds(60))
        #expect(!isWaiting())
        await expectRefused(.sessionEnded) { try await fixture.refresh(tokens.refreshToken) }
        #expect(fixture.validate(late.accessToken).valid)
    }
}
