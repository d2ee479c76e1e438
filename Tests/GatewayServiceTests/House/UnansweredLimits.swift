import Contracts
import Messages
import RPC
import ServiceRuntime
import Synchronization

/// A rate limiter that charges but whose responses are lost: the caller has cancelled or timed out.
final class UnansweredLimits: LimitsAPI {
    private let limits: any LimitsAPI
    private let error: ServiceError
    private let names = Mutex<[String]>([])

    init(_ limits: any LimitsAPI, _ code: ErrorCode) {
        self.limits = limits
        error = ServiceError(code)
    }

    /// The charge ids that callers gave to what was charged.
    var charged: [String] { names.withLock { $0 } }

    func consume(
        _ request: RateLimitV1.ConsumeRequest, _ context: CallContext
    ) async throws -> RateLimitV1.ConsumeResponse {
        let answer = try await limits.consume(request, context)
        if answer.decision?.limited == false { names.withLock { $0.append(request.chargeId) } }
        throw error
    }

    func refund(
        _ request: RateLimitV1.RefundRequest, _ context: CallContext
    ) async throws -> RateLimitV1.RefundResponse { try await limits.refund(request, context) }

    func check(
        _ request: RateLimitV1.CheckRequest, _ context: CallContext
    ) async throws -> RateLimitV1.CheckResponse { throw error }

    func succeed(
        _ request: RateLimitV1.SucceedRequest, _ context: CallContext
    ) async throws -> RateLimitV1.SucceedResponse { throw error }

    func reset(
        _ request: RateLimitV1.ResetRequest, _ context: CallContext
    ) async throws -> RateLimitV1.ResetResponse { throw error }

    func peek(
        _ request: RateLimitV1.PeekRequest, _ context: CallContext
    ) async throws -> RateLimitV1.PeekResponse { throw error }
}
