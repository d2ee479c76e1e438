import CallRecords
import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import SessionService

@Suite("Clock: what a start on a wrong clock does to sessions")
struct ClockHoldTests {
    private static let day = Duration.seconds(86_400)
    let fixture: SessionFixture

    init() async throws {
        fixture = try await SessionFixture()
    }

    private func start(after gap: Duration) async throws {
        fixture.time.startAnew(at: fixture.time.now() + gap)
        try await fixture.restart()
    }

    private var clock: StoreClock { StoreClock(fixture.store, time: fixture.time) }

    private func isWaiting() -> Bool {
        clock.check(ClockV1.CheckRequest(), fixture.context()).waiting
    }

    @Test("a start up to a day later goes on as before")
    func night() async throws {
        let tokens = try await fixture.open()
        try await start(after: Self.day)
        #expect(!isWaiting())
        _ = try await fixture.refresh(tokens.refreshToken)
    }

    @Test("a start years ahead answers unavailable, ends nothing, and waits for a word")
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
            try fixture.service.validate(
                SessionV1.ValidateRequest(accessToken: tokens.accessToken), fixture.context())
        }
        #expect(fixture.time.now() == before, "time goes on from the mark")
        #expect(try await fixture.number("SELECT count(*) FROM session WHERE ended_at_ms > 0") == 0)
        #expect(fixture.log.lines.contains { $0.contains("postern clock accept") })
    }

    @Test("signing out works all the same")
    func signOut() async throws {
        let tokens = try await fixture.open()
        try await start(after: Self.day * 3_650)
        #expect(try await fixture.signOut(.accessToken(tokens.accessToken)) == 1)
    }

    @Test("the operator's word sets the time on, and no restart asks again")
    func accepted() async throws {
        let tokens = try await fixture.open()
        let gap = Self.day * 20
        let moment = fixture.time.now() + gap
        try await start(after: gap)
        // A gateway that was taken over must not say that a wrong clock is right.
        await #expect(throws: ServiceError(.permissionDenied)) {
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

    @Test("B15: a step forward while it runs is accepted: tokens are stamped by it, restarts too")
    func acceptedStep() async throws {
        let tokens = try await fixture.open()
        let before = fixture.time.now()
        fixture.time.stepWallClock(by: .seconds(5 * 3_600))
        // Killed and started again in the same boot, it goes on from what was counted.
        fixture.time.startAgain()
        try await fixture.restart()
        #expect(fixture.time.now() == before)
        let word = try await clock.accept(ClockV1.AcceptRequest(), fixture.context(from: "tool"))
        #expect(!word.wasWaiting && word.nowMs == (before + .seconds(5 * 3_600)).milliseconds)
        #expect(try await fixture.audited(.clockAccepted) == 1)
        let issued = try await fixture.refresh(tokens.refreshToken)
        #expect(issued.serverTimeMs == word.nowMs)
        fixture.time.startAgain()
        try await fixture.restart()
        #expect(fixture.time.now().milliseconds == word.nowMs)
        let again = try await clock.accept(ClockV1.AcceptRequest(), fixture.context(from: "tool"))
        #expect(again.nowMs == word.nowMs)
        #expect(try await fixture.audited(.clockAccepted) == 1)
    }

    @Test("B15: a clock that is behind is not taken: time never goes back")
    func stepBack() async throws {
        _ = try await fixture.open()
        let before = fixture.time.now()
        fixture.time.stepWallClock(by: .seconds(-5 * 3_600))
        let word = try await clock.accept(ClockV1.AcceptRequest(), fixture.context(from: "tool"))
        #expect(!word.wasWaiting && word.nowMs == before.milliseconds)
        #expect(try await fixture.audited(.clockAccepted) == 0)
    }

    @Test("a clock that comes back is taken without a word")
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

    @Test("a time server's word is enough: a machine that was off for two days needs nobody")
    func synchronised() async throws {
        let tokens = try await fixture.open()
        try await start(after: Self.day * 2)
        #expect(isWaiting())
        fixture.time.setSynchronised(true)
        #expect(!isWaiting())
        _ = try await fixture.refresh(tokens.refreshToken)
    }

    @Test(
        "killed after a step of the clock, it takes the proofs of an identity that ran through it")
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

    @Test("a restart while it waits waits on")
    func waitsOn() async throws {
        _ = try await fixture.open()
        let wall = fixture.time.now() + Self.day * 3_650
        try await start(after: Self.day * 3_650)
        fixture.time.advance(by: .seconds(120))
        _ = try await fixture.store.write { try $0.outboxCount() }
        fixture.time.startAnew(at: wall + .seconds(120))
        try await fixture.restart()
        #expect(isWaiting())
    }

    @Test("a start on a clock that is behind revives nothing that has expired")
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
