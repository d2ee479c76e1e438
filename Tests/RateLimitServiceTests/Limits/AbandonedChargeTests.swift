import Contracts
import Messages
import NIOCore
import NIOPosix
import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import RateLimitService

@Suite("B13: a caller that cancels is not charged", .timeLimit(.minutes(1)))
struct AbandonedChargeTests {
    private static let subject = "ada@example.org"

    let fixture: LimitsFixture

    init() async throws { fixture = try await LimitsFixture() }

    private func left() throws -> UInt32 {
        try fixture.peek(.failedSignInByAccount, Self.subject).remaining
    }

    @Test("B13: a call that was cancelled or is past its deadline charges nothing")
    func before() async throws {
        let cancelled = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await fixture.consume(.failedSignInByAccount, Self.subject)
        }
        await #expect(throws: ServiceError(.cancelled, notProcessed: true)) {
            _ = try await cancelled.value
        }
        await #expect(throws: ServiceError(.deadlineExceeded, notProcessed: true)) {
            try await fixture.service.limits.consume(
                RateLimitV1.ConsumeRequest(
                    charges: LimitsFixture.message([("failed-sign-in-by-account", Self.subject)])),
                CallContext(deadline: fixture.time.uptime()))
        }
        #expect(try left() == 4)
    }

    @Test("B13: a caller that got no response refunds by the id that it chose, only once")
    func named() async throws {
        func consume(_ name: String) async throws -> String {
            try await fixture.service.limits.consume(
                RateLimitV1.ConsumeRequest(
                    charges: LimitsFixture.message([("failed-sign-in-by-account", Self.subject)]),
                    chargeId: name), fixture.context
            ).chargeId
        }
        let first = try await consume("1k")
        let second = try await consume("2k")
        #expect(first == "1k" && second == "2k")
        #expect(try left() == 2)
        for _ in 0..<2 { try await fixture.refund("1k") }
        // The refund of a charge that was never made.
        try await fixture.refund("3k")
        #expect(try left() == 3)
        let stored = fixture.service.limits.ledger.withLock { $0.storedCharges }
        #expect(stored.isEmpty, "the journal does not store the id")
        await #expect(throws: ServiceError(.invalidArgument, fields: ["charge_id"])) {
            _ = try await consume("no number")
        }
        #expect(try left() == 3)
    }

    @Test("B13: under an idempotency key the chosen id is ignored")
    func namedByKey() async throws {
        var metadata = Metadata()
        metadata[Metadata.Key.idempotencyKey] = "k"
        let answer = try await fixture.service.limits.consume(
            RateLimitV1.ConsumeRequest(
                charges: LimitsFixture.message([("sign-up-by-address", "192.0.2.7")]),
                chargeId: "1k"),
            CallContext(deadline: fixture.context.deadline, metadata: metadata))
        #expect(answer.chargeId != "1k")
        try await fixture.refund("1k")
        #expect(try fixture.peek(.signUpByAddress, "192.0.2.7").remaining == 1)
    }

    @Test("B13: calls that are read together with their Cancel frames charge nothing")
    func heaped() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let loop = group.next()
        let executor = EventLoopTaskExecutor(loop)
        let fixture = fixture
        // As on a server: each call begins at once, and its Cancel frame is read in the same
        // iteration of the event loop, before the disk can have responded.
        let calls = try await loop.submit {
            (0..<5).map { _ in
                let call = Task.immediate(executorPreference: executor) {
                    _ = try await fixture.consume(.failedSignInByAccount, Self.subject)
                }
                call.cancel()
                return call
            }
        }.get()
        for call in calls {
            await #expect(throws: ServiceError(.cancelled, notProcessed: true)) {
                try await call.value
            }
        }
        #expect(try left() == 4)
        try await group.shutdownGracefully()
    }
}
