import Messages
import RPC
import ServiceRuntime
import Testing

@testable import RateLimitService

@Suite("G-25: a charge under an idempotency key", .timeLimit(.minutes(1)))
struct RepeatedChargeTests {
    let house: LimitsHouse

    init() async throws { house = try await LimitsHouse() }

    /// Charges a sign-up under one key.
    private func signUp() async throws -> (isLimited: Bool, chargeID: String) {
        var metadata = Metadata()
        metadata[Metadata.Key.idempotencyKey] = "k"
        let answer = try await house.service.consume(
            RateLimitV1.ConsumeRequest(
                charges: LimitsHouse.message([("sign-up-by-address", "192.0.2.7")])),
            CallContext(deadline: house.context.deadline, metadata: metadata))
        return (try #require(answer.decision).limited, answer.chargeId)
    }

    private func left() throws -> UInt32 {
        try house.peek(.signUpByAddress, "192.0.2.7").remaining
    }

    @Test("R-04: neither a repeat nor the first call takes back what both rest on")
    func shared() async throws {
        let first = try await signUp()
        let second = try await signUp()
        #expect(try left() == 1)
        for id in [second.chargeID, first.chargeID] where !id.isEmpty {
            try await house.refund(id)
        }
        #expect(try left() == 1)
    }

    @Test("R-04: four repeats are free, and each from the fifth on is charged")
    func counted() async throws {
        for _ in 0...4 { _ = try await signUp() }
        #expect(try left() == 1)
        let fifth = try await signUp()
        #expect(try left() == 0)
        try await house.refund(fifth.chargeID)
        #expect(try left() == 0)
        #expect(try await !signUp().isLimited)
        #expect(try await signUp().isLimited)
    }

    @Test("R-04: what the disk does not take is not charged, since nothing was looked at")
    func disk() async throws {
        house.service.close()
        for _ in 0..<3 {
            await #expect(throws: ServiceError.self) {
                try await house.consume(.signUpByAddress, "192.0.2.7")
            }
        }
        #expect(try left() == 2)
    }
}
