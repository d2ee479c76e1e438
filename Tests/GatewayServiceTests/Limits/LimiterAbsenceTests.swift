import Contracts
import Messages
import ServiceRuntime
import TestSupport
import Testing

@testable import GatewayService

@Suite("R-07: without the limiter each flow passes or is rejected", .timeLimit(.minutes(1)))
struct LimiterAbsenceTests {
    private static let limiterIsAway = ServiceError(
        .unavailable, unavailablePart: "rate-limit")

    @Test(
        "R-07: by default password sign-in is rejected; sign-up, check and refresh work",
        arguments: [ErrorCode.unavailable, .deadlineExceeded])
    func refuse(code: ErrorCode) async throws {
        let fixture = try await GatewayFixture(limits: FailingLimits(code))
        #expect(try await refusal { try await fixture.signIn() } == Self.limiterIsAway)
        #expect(try await fixture.inner.count(fixture.inner.identityStore, "audit") == 0)
        _ = try await fixture.signUp()
        #expect(try await refusal { try await fixture.signIn() } == Self.limiterIsAway)
        #expect(try await !fixture.check("garbage").authenticated)
        #expect(try await refusal { try await fixture.refresh("x") }.code == .invalidRefreshToken)
        #expect(
            fixture.log.lines.filter { $0.contains("limits.unavailable") }.count == 1,
            "logged once for all calls")
    }

    @Test("R-07: each flow has its own setting")
    func eachFlow() async throws {
        let fixture = try await GatewayFixture(
            flags: [
                "--limiter-failure-sign-up=refuse", "--limiter-failure-password-sign-in=pass",
            ], limits: FailingLimits())
        #expect(try await refusal { try await fixture.signUp() } == Self.limiterIsAway)
        #expect(try await fixture.inner.count(fixture.inner.identityStore, "accounts") == 0)
        #expect(try await refusal { try await fixture.signIn() }.code == .invalidCredential)
    }

    @Test("R-07: by default a flow is rejected if it takes guesses or sends messages at our cost")
    func defaults() {
        let caller = LimitedCaller.address("192.0.2.7")
        let table: [(LimitedAction, LimiterFailure)] = [
            (.signUp(email: "ada@example.org", caller: caller), .pass),
            (.signIn(email: "ada@example.org", device: "d1", caller: caller), .refuse),
            (.providerSignIn(device: "d1", caller: caller), .pass),
            (.providerProof(account: "a", device: "d1", caller: caller), .pass),
            (.guestSignUp(caller: caller), .pass), (.passwordCheck(caller: caller), .pass),
            (.phoneCodeRequest(number: "+4915112345678", caller: caller), .refuse),
            (
                .phoneCodeGuess(
                    number: "+4915112345678", request: "pcr_1", device: "d1", caller: caller),
                .refuse
            ),
            (.passwordReset(email: "ada@example.org", caller: caller), .pass),
            (.unrequestedMail(email: "ada@example.org"), .pass),
            (.deletionLink(email: "ada@example.org", caller: caller), .pass),
            (.parentalMail(account: "acc_1"), .pass),
            (.documentWrite(account: "acc_1", collections: ["profile"]), .pass),
            (.profileUpdate(account: "acc_1"), .pass), (.photoUpload(account: "acc_1"), .pass),
            (.guestBundle(account: "acc_1"), .pass), (.dataExport(account: "acc_1"), .pass),
            (.deletion(account: "acc_1"), .pass), (.pushDevice(account: "acc_1"), .pass),
            (.push(account: "acc_1"), .pass), (.passkey(caller: caller), .pass),
            (.backendAccount(application: "shop"), .pass),
            (.secondProof(caller: caller), .refuse),
            (.challengeCode(account: "acc_1"), .refuse),
            (.mailedCodeGuess(account: "acc_1"), .refuse),
            (.totpGuess(account: "acc_1", after: .password, device: "d1"), .refuse),
        ]
        for (action, failure) in table { #expect(action.flow.failure == failure) }
        #expect(Set(table.map { $0.0.flow }) == Set(LimitedFlow.allCases))
    }

    @Test("R-07: with limiter-failure-password-sign-in=pass, sign-in continues uncounted")
    func pass() async throws {
        let fixture = try await GatewayFixture(
            flags: ["--limiter-failure-password-sign-in=pass"], limits: FailingLimits())
        _ = try await fixture.signUp()
        for _ in 0..<6 {
            let error = try await refusal { try await fixture.signIn(password: "Wrong8Horses") }
            #expect(error.code == .invalidCredential)
        }
        _ = try await fixture.signIn()
    }

    @Test(
        "R-07: a limiter that responds with an error is present: no call passes",
        arguments: [ErrorCode.internalError, .resourceExhausted, .permissionDenied])
    func present(code: ErrorCode) async throws {
        let fixture = try await GatewayFixture(
            flags: ["--limiter-failure-password-sign-in=pass"], limits: FailingLimits(code))
        #expect(try await refusal { try await fixture.signIn() }.code == code)
        #expect(try await refusal { try await fixture.signUp() }.code == code)
    }

    @Test("R-07: the gateway waits 250 ms at most for the limiter")
    func limiterTimeout() async throws {
        let limits = FailingLimits()
        let fixture = try await GatewayFixture(limits: limits)
        _ = try await refusal { try await fixture.signIn() }
        #expect(limits.deadlines == [.seconds(1_000) + .milliseconds(250)])
    }

    @Test("M2: a flow with less time left than the limiter may take is rejected before it begins")
    func shortDeadline() async throws {
        let limits = FailingLimits()
        let fixture = try await GatewayFixture(limits: limits)
        let context = fixture.context()
        fixture.time.advance(by: .milliseconds(9_751))
        for refused in [
            try await refusal { try await fixture.signUp(in: context) },
            try await refusal { try await fixture.signIn(in: context) },
        ] {
            #expect(refused.code == .deadlineExceeded && refused.notProcessed)
        }
        #expect(limits.deadlines.isEmpty)
        #expect(try await fixture.inner.count(fixture.inner.identityStore, "accounts") == 0)
        let other = fixture.context()
        fixture.time.advance(by: .milliseconds(9_750))
        _ = try await fixture.signUp(in: other)
        #expect(Set(limits.deadlines) == [fixture.time.uptime() + .milliseconds(250)])
    }
}
