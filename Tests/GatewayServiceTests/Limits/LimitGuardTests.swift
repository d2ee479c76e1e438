import RPC
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import GatewayService

@Suite("R-04: what is taken back after a flow", .timeLimit(.minutes(1)))
struct LimitGuardTests {
    @Test("R-04: a flow whose time is over still has its charge taken back (X-06)")
    func late() async throws {
        let limits = WatchedLimits()
        let time = ManualTime()
        let logger = CapturedLog().logger(time: time)
        let limitGuard = LimitGuard(
            limits: limits, failures: [:], time: time, logger: logger)
        let context = CallContext(deadline: time.uptime() + .seconds(10))
        let charge = try await limitGuard.begin(
            .signIn(email: "ada@example.org", device: "d1", caller: .address("192.0.2.7")),
            context, language: "en")
        time.advance(by: .seconds(11))
        await limitGuard.refund(charge, context)
        await limitGuard.succeed(charge, context)
        let end = time.uptime() + .milliseconds(250)
        #expect(limits.deadlines == [end, end])
    }

    @Test("R-04: the right password is told to the limiter though session fails")
    func sessionFails() async throws {
        let limits = WatchedLimits()
        let house = try await GatewayHouse(limits: limits)
        _ = try await house.signUp()
        let before = limits.deadlines.count
        house.inner.sessionStore.close()
        _ = try await refusal { try await house.signIn() }
        #expect(limits.deadlines.count == before + 1)
    }
}
