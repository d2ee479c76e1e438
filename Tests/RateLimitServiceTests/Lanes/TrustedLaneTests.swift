import Contracts
import Messages
import ServiceRuntime
import TestSupport
import Testing

@testable import RateLimitService

@Suite("R-03: a known device has its own limit", .timeLimit(.minutes(1)))
struct TrustedLaneTests {
    private static let ada = "ada@example.org"
    let fixture: LimitsFixture

    init() async throws { fixture = try await LimitsFixture() }

    /// Guesses an account's password.
    @discardableResult
    private func guess(
        _ device: String, at account: String = ada
    ) async throws -> (decision: RateLimitV1.Decision, chargeID: String) {
        try await fixture.consume(.failedSignInByAccount, account, device: device)
    }

    /// Signs in with the right password.
    private func signIn(_ device: String, to account: String = ada) async throws {
        let (decision, id) = try await guess(device, at: account)
        #expect(!decision.limited)
        try fixture.succeed(id, .failedSignInByAccount, account, device: device)
    }

    @Test("R-03: an attacker who reaches the account's limit does not lock out a known device")
    func ownerPasses() async throws {
        try await signIn("owner")
        for number in 0..<20 { try await guess("stranger-\(number)") }
        #expect(try await guess("new").decision.limited)
        #expect(try await guess("").decision.limited)
        for left in [4, 3, 2, 1, 0] as [UInt32] {
            let decision = try await guess("owner").decision
            #expect(!decision.limited && decision.remaining == left)
        }
        let decision = try await guess("owner").decision
        #expect(decision.limited && decision.limit == "failed-sign-in-by-known-device")
    }

    @Test("R-03: guesses with a new device id each share the account's five")
    func inventedDevices() async throws {
        var evaluated = 0
        for number in 0..<200 {
            if try await !guess("d\(number)").decision.limited { evaluated += 1 }
        }
        #expect(evaluated == 5)
    }

    @Test("R-03: a stolen device id gives five more guesses and affects no other device")
    func stolenDevice() async throws {
        try await signIn("phone")
        try await signIn("laptop")
        var evaluated = 0
        for _ in 0..<200 {
            if try await !guess("phone").decision.limited { evaluated += 1 }
        }
        #expect(evaluated == 5)
        try await signIn("laptop")
        #expect(try await guess("").decision.remaining == 4)
    }

    @Test("R-03: a device is known only to the account that signed in from it")
    func otherAccount() async throws {
        try await signIn("shared", to: "mallory@example.org")
        for _ in 0..<5 { try await guess("x") }
        #expect(try await guess("shared").decision.limited)
        try await signIn("b", to: "a|x")
        for _ in 0..<5 { try await guess("x", at: "a") }
        #expect(try await guess("x|b", at: "a").decision.limited)
    }

    @Test("R-03: a failed or refunded attempt makes no device known")
    func withoutSuccess() async throws {
        let (_, id) = try await guess("d")
        try await fixture.refund(id)
        for _ in 0..<5 { try await guess("d") }
        #expect(try await guess("d").decision.limit == "failed-sign-in-by-account")
    }

    @Test("R-03: a device is known for 90 days after the last sign-in from it")
    func forgotten() async throws {
        try await signIn("owner")
        fixture.time.advance(by: .seconds(30 * 86_400))
        try await signIn("owner")
        fixture.time.advance(by: .seconds(89 * 86_400))
        for _ in 0..<5 { try await guess("stranger") }
        #expect(try await !guess("owner").decision.limited)
        fixture.time.advance(by: .seconds(86_400))
        for _ in 0..<5 { try await guess("stranger") }
        #expect(try await guess("owner").decision.limited)
    }

    @Test("R-06: a restart forgets no device")
    func restart() async throws {
        try await signIn("owner")
        for _ in 0..<5 { try await guess("stranger") }
        let next = try await fixture.restarted()
        let owner = try await next.consume(.failedSignInByAccount, Self.ada, device: "owner")
        #expect(!owner.decision.limited)
        let other = try await next.consume(.failedSignInByAccount, Self.ada, device: "stranger")
        #expect(other.decision.limited)
    }
}
