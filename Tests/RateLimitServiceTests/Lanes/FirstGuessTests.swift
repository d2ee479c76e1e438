import Contracts
import Messages
import ServiceRuntime
import TestSupport
import Testing

@testable import RateLimitService

@Suite("R-02: a number locked by attackers still accepts a new code", .timeLimit(.minutes(1)))
struct FirstGuessTests {
    private static let number = "+4915112345678"

    /// A number for which 100 wrong codes were entered.
    private func shut() async throws -> LimitsFixture {
        let fixture = try await LimitsFixture()
        for _ in 0..<200 {
            _ = try await fixture.decide([("phone-code-guess", Self.number)])
            fixture.time.advance(by: .seconds(180))
        }
        #expect(try fixture.peek(.phoneCodeGuess, Self.number).limited)
        return fixture
    }

    private func guess(
        _ fixture: LimitsFixture, at request: String
    ) async throws -> (decision: RateLimitV1.Decision, chargeID: String) {
        try await fixture.consume(
            .phoneCodeGuess, Self.number, device: "new", target: request)
    }

    @Test("M4: the first guess for each new code is evaluated and no other")
    func first() async throws {
        let fixture = try await shut()
        for request in ["pcr_1", "pcr_2"] {
            let first = try await guess(fixture, at: request).decision
            #expect(!first.limited && first.limit == "phone-code-first-guess")
            for _ in 0..<5 { #expect(try await guess(fixture, at: request).decision.limited) }
        }
        #expect(try await guess(fixture, at: "").decision.limited)
    }

    @Test("M4: a new code that is entered right at the first try unlocks the number")
    func opens() async throws {
        let fixture = try await shut()
        let (_, id) = try await guess(fixture, at: "pcr_1")
        _ = try fixture.service.limits.succeed(
            RateLimitV1.SucceedRequest(
                chargeId: id,
                charges: [
                    .init(
                        limit: "phone-code-guess", subject: Self.number, device: "new",
                        target: "pcr_1")
                ]), fixture.context)
        #expect(try fixture.peek(.phoneCodeGuess, Self.number).remaining == 4)
        let known = try await guess(fixture, at: "pcr_2").decision
        #expect(known.limit == "phone-code-guess-by-known-device")
    }

    @Test("M4: a guess without a live code is refunded to the number but not to the address")
    func partly() async throws {
        let fixture = try await LimitsFixture()
        let charges = [
            ("phone-code-guess", Self.number), ("phone-code-guess-by-address", "192.0.2.7"),
        ]
        for _ in 0..<50 {
            let (decision, id) = try await fixture.consume(charges, from: "192.0.2.7")
            #expect(!decision.limited)
            _ = try fixture.service.limits.refund(
                RateLimitV1.RefundRequest(chargeId: id, only: ["phone-code-guess"]),
                fixture.context)
        }
        #expect(try fixture.peek(.phoneCodeGuess, Self.number).remaining == 4)
        let (decision, _) = try await fixture.consume(charges, from: "192.0.2.7")
        #expect(decision.limited && decision.limit == "phone-code-guess-by-address")
        #expect(
            try await !fixture.consume(
                charges.map { ($0.0, $0.0 == charges[0].0 ? $0.1 : "192.0.3.1") }
            )
            .decision.limited)
    }

    @Test("M4: a partial refund must name existing limits")
    func unknown() async throws {
        let fixture = try await LimitsFixture()
        #expect(throws: ServiceError(.invalidArgument, fields: ["only"])) {
            try fixture.service.limits.refund(
                RateLimitV1.RefundRequest(chargeId: "1", only: ["no-such-limit"]), fixture.context)
        }
    }
}
