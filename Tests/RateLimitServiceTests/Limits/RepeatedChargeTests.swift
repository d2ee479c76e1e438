import Contracts
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import RateLimitService

@Suite("G-25: a charge under an idempotency key is made once", .timeLimit(.minutes(1)))
struct RepeatedChargeTests {
    let fixture: LimitsFixture

    init() async throws { fixture = try await LimitsFixture() }

    /// Charges a sign-up under a key.
    private func signUp(
        _ key: String = "k", in other: LimitsFixture? = nil
    ) async throws -> (isLimited: Bool, chargeID: String) {
        let fixture = other ?? fixture
        var metadata = Metadata()
        metadata[Metadata.Key.idempotencyKey] = key
        let answer = try await fixture.service.limits.consume(
            RateLimitV1.ConsumeRequest(
                charges: LimitsFixture.message([("sign-up-by-address", "192.0.2.7")])),
            CallContext(deadline: fixture.context.deadline, metadata: metadata))
        return (try #require(answer.decision).limited, answer.chargeId)
    }

    private func left(in other: LimitsFixture? = nil) throws -> UInt32 {
        try (other ?? fixture).peek(.signUpByAddress, "192.0.2.7").remaining
    }

    @Test("R-04: a charge shared by several calls is refunded with the last of them")
    func shared() async throws {
        let first = try await signUp()
        let second = try await signUp()
        #expect(first.chargeID == second.chargeID)
        #expect(try left() == 1)
        try await fixture.refund(first.chargeID)
        #expect(try left() == 1)
        try await fixture.refund(second.chargeID)
        #expect(try left() == 2)
        _ = try await signUp()
        #expect(try left() == 1)
    }

    @Test("B2: eight concurrent calls under one key make one charge")
    func parallel() async throws {
        let limited = try await withThrowingTaskGroup(of: Bool.self) { calls in
            for _ in 0..<8 { calls.addTask { try await signUp().isLimited } }
            return try await calls.reduce(into: []) { $0.append($1) }
        }
        #expect(limited == Array(repeating: false, count: 8))
        #expect(try left() == 1)
    }

    @Test("R-04: sixteen repeats are free; later ones are rejected until the charge expires")
    func counted() async throws {
        for _ in 0...16 { _ = try await signUp() }
        #expect(try left() == 1)
        fixture.time.advance(by: .seconds(20))
        await #expect(throws: ServiceError(.resourceExhausted, retryAfter: .seconds(40))) {
            try await signUp()
        }
        #expect(try left() == 1)
        fixture.time.advance(by: .seconds(40))
        _ = try await signUp()
        #expect(try left() == 0)
    }

    @Test("B1: a repeat after a restart is not charged again", arguments: [false, true])
    func restart(isKilled: Bool) async throws {
        let first = try await signUp()
        let next = try await fixture.restarted(afterKill: isKilled)
        #expect(try left(in: next) == 1)
        let second = try await signUp(in: next)
        #expect(second.chargeID == first.chargeID && !second.isLimited)
        #expect(try left(in: next) == 1)
        try await next.refund(second.chargeID)
        #expect(try left(in: next) == 1, "its first call may have had its effect")
        _ = try await signUp("other", in: next)
        #expect(try left(in: next) == 0)
    }

    @Test("B1: repeats before a restart count, and the charge expires at the same time")
    func boundsAfterRestart() async throws {
        for _ in 0...10 { _ = try await signUp() }
        let next = try await fixture.restarted(afterKill: true)
        for _ in 0..<6 { _ = try await signUp(in: next) }
        await #expect(throws: ServiceError(.resourceExhausted, retryAfter: .seconds(60))) {
            try await signUp(in: next)
        }
        next.time.advance(by: .seconds(60))
        let last = try await next.restarted()
        _ = try await signUp(in: last)
        #expect(try left(in: last) == 0)
    }

    @Test("B1: a charge refunded before a restart is made again by the next call")
    func takenBack() async throws {
        try await fixture.refund(try await signUp().chargeID)
        let next = try await fixture.restarted()
        #expect(try left(in: next) == 2)
        _ = try await signUp(in: next)
        #expect(try left(in: next) == 1)
    }

    @Test("R-04: a charge that cannot be written to disk is not made, as nothing was evaluated")
    func disk() async throws {
        fixture.service.closeJournals()
        for _ in 0..<3 {
            await #expect(throws: ServiceError.self) {
                try await fixture.consume(.signUpByAddress, "192.0.2.7")
            }
            await #expect(throws: ServiceError.self) { try await signUp() }
        }
        #expect(try left() == 2)
    }
}
