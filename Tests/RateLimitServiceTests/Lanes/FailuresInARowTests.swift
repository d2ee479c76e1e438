import Contracts
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import RateLimitService

@Suite("R-03: a hundred wrong passwords in a row lock sign-in", .timeLimit(.minutes(1)))
struct FailuresInARowTests {
    private static let ada = "ada@example.org"
    let fixture: LimitsFixture

    init() async throws { fixture = try await LimitsFixture() }

    /// Guesses from unknown devices, as fast as the account's own limit allows.
    /// - Returns: how many were evaluated.
    private func siege(_ tries: Int) async throws -> Int {
        var evaluated = 0
        for _ in 0..<tries {
            let (_, verdict) = try await fixture.decide([("failed-sign-in-by-account", Self.ada)])
            if !verdict.isLimited { evaluated += 1 }
            fixture.time.advance(by: .seconds(180))
        }
        return evaluated
    }

    private func guess(_ device: String) async throws -> RateLimitV1.Decision {
        try await fixture.consume(.failedSignInByAccount, Self.ada, device: device).decision
    }

    @Test("B14: after 100 failures in a row, no guess from an unknown device is evaluated")
    func hundred() async throws {
        #expect(try await siege(1_000) == 100)
        let decision = try await guess("new")
        #expect(decision.limited && decision.limit == "failed-sign-in-in-a-row")
        #expect(decision.sentence == "Too many attempts. Please set a new password by email.")
        fixture.time.advance(by: .seconds(30 * 86_400))
        #expect(try await guess("new").limited)
    }

    @Test(
        "B14: a known device still signs in, and its success unlocks unknown devices")
    func knownDevice() async throws {
        try fixture.remember(.failedSignInByAccount, Self.ada, device: "owner")
        _ = try await siege(1_000)
        let (decision, id) = try await fixture.consume(
            .failedSignInByAccount, Self.ada, device: "owner")
        #expect(!decision.limited)
        try fixture.succeed(id, .failedSignInByAccount, Self.ada, device: "owner")
        fixture.time.advance(by: .seconds(900))
        #expect(try await !guess("new").limited)
    }

    @Test("B14: a password reset from any device unlocks the account")
    func reset() async throws {
        _ = try await siege(1_000)
        try fixture.remember(.failedSignInByAccount, Self.ada, device: "new")
        #expect(try await siege(1_000) == 100)
    }

    @Test("B14: a right password restarts the count")
    func success() async throws {
        for _ in 0..<3 {
            #expect(try await siege(90) == 90)
            let (decision, id) = try await fixture.consume(.failedSignInByAccount, Self.ada)
            #expect(!decision.limited)
            try fixture.succeed(id, .failedSignInByAccount, Self.ada)
        }
    }

    @Test("B14: an operator's reset of the account's limit unlocks it too")
    func operating() async throws {
        _ = try await siege(1_000)
        let tool = CallContext(application: "tool", deadline: fixture.context.deadline)
        let request = RateLimitV1.ResetRequest(
            charges: LimitsFixture.message([("failed-sign-in-by-account", Self.ada)]))
        #expect(try await fixture.service.limits.reset(request, tool).forgotten == 1)
        #expect(try await !guess("new").limited)
    }
}
