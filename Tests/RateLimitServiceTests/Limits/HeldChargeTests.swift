import Contracts
import Messages
import ServiceRuntime
import TestSupport
import Testing

@testable import RateLimitService

@Suite("F-03: the charge of a first proof can be given back by the second", .timeLimit(.minutes(1)))
struct HeldChargeTests {
    private static let subject = "ada@example.org"

    let fixture: LimitsFixture

    init() async throws { fixture = try await LimitsFixture() }

    private func left() throws -> UInt32 {
        try fixture.peek(.failedSignInByAccount, Self.subject).remaining
    }

    private func hold(_ id: String) throws {
        _ = try fixture.service.limits.hold(
            RateLimitV1.HoldRequest(chargeId: id), fixture.context)
    }

    @Test("F-03: a held charge counts until it is given back", arguments: [true, false])
    func givenBack(isHeld: Bool) async throws {
        let charge = try await fixture.consume(.failedSignInByAccount, Self.subject).chargeID
        if isHeld { try hold(charge) }
        fixture.time.advance(by: .seconds(600))
        #expect(try left() == 3)
        try await fixture.refund(charge)
        #expect(try left() == (isHeld ? 4 : 3))
    }

    @Test("F-03: a success gives it back too, and only once")
    func succeeds() async throws {
        let charge = try await fixture.consume(.failedSignInByAccount, Self.subject).chargeID
        try hold(charge)
        fixture.time.advance(by: .seconds(600))
        for _ in 0..<2 {
            try fixture.succeed(charge, .failedSignInByAccount, Self.subject, device: "d1")
        }
        #expect(try left() == 4)
    }

    @Test("a charge that is unknown is not held, and a malformed id is rejected")
    func unknown() async throws {
        try hold("1k")
        let error = #expect(throws: ServiceError.self) { try hold("no number") }
        #expect(error?.fields == ["charge_id"])
    }
}
