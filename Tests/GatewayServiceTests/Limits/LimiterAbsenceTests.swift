import Messages
import ServiceRuntime
import TestSupport
import Testing

@Suite("R-07: the limiter cannot be reached", .timeLimit(.minutes(1)))
struct LimiterAbsenceTests {
    @Test(
        "R-07: by default sign-up and sign-in refuse, and all else goes on",
        arguments: [ErrorCode.unavailable, .deadlineExceeded])
    func refuse(code: ErrorCode) async throws {
        let house = try await GatewayHouse(limits: AbsentLimits(code))
        #expect(try await refusal { try await house.signUp() } == ServiceError(.unavailable))
        #expect(try await refusal { try await house.signIn() } == ServiceError(.unavailable))
        #expect(try await house.inner.count(house.inner.identityStore, "accounts") == 0)
        #expect(try await house.inner.count(house.inner.identityStore, "audit") == 0)
        #expect(try await !house.check("garbage").authenticated)
        #expect(try await refusal { try await house.refresh("x") }.code == .invalidRefreshToken)
        #expect(house.log.lines.contains { $0.contains("the limiter cannot be reached") })
    }

    @Test("R-07: with limiter-failure=pass they go on, uncounted")
    func pass() async throws {
        let house = try await GatewayHouse(
            flags: ["--limiter-failure=pass"], limits: AbsentLimits())
        _ = try await house.signUp()
        for _ in 0..<6 {
            let error = try await refusal { try await house.signIn(password: "Wrong8Horses") }
            #expect(error.code == .invalidCredential)
        }
        _ = try await house.signIn()
    }

    @Test(
        "R-07: a limiter that answers with an error is there: nobody passes",
        arguments: [ErrorCode.internalError, .resourceExhausted, .permissionDenied])
    func present(code: ErrorCode) async throws {
        let house = try await GatewayHouse(
            flags: ["--limiter-failure=pass"], limits: AbsentLimits(code))
        #expect(try await refusal { try await house.signIn() }.code == code)
        #expect(try await refusal { try await house.signUp() }.code == code)
    }

    @Test("R-07: it is waited for 250 ms at most, and never beyond the caller's time (X-06)")
    func patience() async throws {
        let limits = AbsentLimits()
        let house = try await GatewayHouse(limits: limits)
        _ = try await refusal { try await house.signIn() }
        let late = house.context()
        house.time.advance(by: .milliseconds(9_900))
        _ = try await refusal { try await house.signIn(in: late) }
        #expect(
            limits.deadlines == [
                .seconds(1_000) + .milliseconds(250), .seconds(1_000) + .seconds(10),
            ])
    }
}
