import Contracts
import Messages
import RPC
import ServiceRuntime
import Synchronization

/// A rate limiter that allows everything and records the deadlines of the calls that follow.
final class WatchedLimits: LimitsAPI {
    private let seen = Mutex<[Duration]>([])
    private let signedIn = Mutex<[RateLimitV1.EstablishedSignIn]>([])

    /// The deadlines of reported successes and refunds.
    var deadlines: [Duration] { seen.withLock { $0 } }
    /// The sign-ins that were reported as those of established accounts.
    var established: [RateLimitV1.EstablishedSignIn] { signedIn.withLock { $0 } }

    func consume(
        _ request: RateLimitV1.ConsumeRequest, _ context: CallContext
    ) async throws -> RateLimitV1.ConsumeResponse {
        RateLimitV1.ConsumeResponse(decision: RateLimitV1.Decision(), chargeId: "1")
    }

    /// Like a call over a network: it takes some time and stops when it is cancelled.
    func succeed(
        _ request: RateLimitV1.SucceedRequest, _ context: CallContext
    ) async throws -> RateLimitV1.SucceedResponse {
        for _ in 0..<1_000 { await Task.yield() }
        try Task.checkCancellation()
        seen.withLock { $0.append(context.deadline) }
        if let signIn = request.established { signedIn.withLock { $0.append(signIn) } }
        return RateLimitV1.SucceedResponse()
    }

    func hold(
        _ request: RateLimitV1.HoldRequest, _ context: CallContext
    ) async throws -> RateLimitV1.HoldResponse { throw ServiceError(.internalError) }

    func reset(
        _ request: RateLimitV1.ResetRequest, _ context: CallContext
    ) async throws -> RateLimitV1.ResetResponse { throw ServiceError(.internalError) }

    func refund(
        _ request: RateLimitV1.RefundRequest, _ context: CallContext
    ) async throws -> RateLimitV1.RefundResponse {
        seen.withLock { $0.append(context.deadline) }
        return RateLimitV1.RefundResponse()
    }

    func peek(
        _ request: RateLimitV1.PeekRequest, _ context: CallContext
    ) async throws -> RateLimitV1.PeekResponse { throw ServiceError(.internalError) }
}
