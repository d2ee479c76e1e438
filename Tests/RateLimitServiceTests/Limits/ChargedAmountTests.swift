import Contracts
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import RateLimitService

@Suite("R-03: charges with an amount, in the service", .timeLimit(.minutes(1)))
struct ChargedAmountTests {
    private static let account = "acc_0000000000001"

    let fixture: LimitsFixture

    init() async throws { fixture = try await LimitsFixture() }

    /// Charges work on documents.
    private func charge(
        _ amount: UInt32, key: String? = nil, in other: LimitsFixture? = nil
    ) async throws -> RateLimitV1.ConsumeResponse {
        var metadata = Metadata()
        metadata[Metadata.Key.idempotencyKey] = key
        return try await (other ?? fixture).service.limits.consume(
            RateLimitV1.ConsumeRequest(charges: [Self.work(amount)]),
            CallContext(deadline: fixture.context.deadline, metadata: metadata))
    }

    private static func work(_ amount: UInt32) -> RateLimitV1.Charge {
        RateLimitV1.Charge(
            limit: LimitName.documentWorkByAccount.rawValue, subject: account, amount: amount)
    }

    private func left(in other: LimitsFixture? = nil) throws -> UInt32 {
        try (other ?? fixture).peek(.documentWorkByAccount, Self.account).remaining + 1
    }

    @Test("R-03: all units are charged or none, at half of 480 at once")
    func units() async throws {
        #expect(try left() == 240)
        #expect(try await charge(0).decision?.remaining == 239, "an absent amount is 1")
        #expect(try await charge(200).decision?.remaining == 39)
        let refused = try #require(try await charge(40).decision)
        // One step is 60 s / 241.
        #expect(refused.limited && (1...250).contains(refused.retryAfterMs))
        #expect(try left() == 39)
        #expect(try await charge(39).decision?.limited == false)
        fixture.time.advance(by: .seconds(60))
        #expect(try await charge(1_000_000).decision?.limited == false, "it counts as 240")
        #expect(try await charge(1).decision?.limited == true)
    }

    @Test("R-04: a refund returns all units, and a charge and a peek read them")
    func refund() async throws {
        let answer = try await charge(150)
        #expect(try left() == 90)
        try await fixture.refund(answer.chargeId)
        #expect(try left() == 240)
        let peek = try fixture.service.limits.peek(
            .init(charges: [Self.work(240)]), fixture.context)
        #expect(peek.decision?.remaining == 0)
        #expect(try await charge(100).decision?.remaining == 140)
        #expect(try left() == 140)
    }

    @Test("G-25: a retry has the same amount; another amount under the key is another charge")
    func retry() async throws {
        _ = try await charge(1, key: "k")
        _ = try await charge(1, key: "k")
        #expect(try left() == 239)
        _ = try await charge(64, key: "k")
        #expect(try left() == 175)
        _ = try await charge(64, key: "k")
        #expect(try left() == 175)
    }

    @Test("R-03: units survive a restart", arguments: [false, true])
    func restart(isKilled: Bool) async throws {
        _ = try await charge(150, key: "k")
        await fixture.service.flush()
        let next = try await fixture.restarted(afterKill: isKilled)
        #expect(try left(in: next) == 90)
        _ = try await charge(150, key: "k", in: next)
        #expect(try left(in: next) == 90, "a retry")
    }

    @Test("R-03: an amount that is too large, or for a limit on guesses, is refused")
    func invalid() async throws {
        for charge in [
            Self.work(1_000_001),
            .init(limit: "phone-code-guess", subject: "+4915112345678", amount: 2),
            .init(limit: "phone-code-request", subject: "+4915112345678", amount: 2),
        ] {
            let error = await #expect(throws: ServiceError.self) {
                try await fixture.service.limits.consume(.init(charges: [charge]), fixture.context)
            }
            #expect(error == ServiceError(.invalidArgument, fields: ["charges.amount"]))
        }
    }
}
