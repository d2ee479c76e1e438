import Contracts
import Messages
import RPC
import ServiceRuntime
import Synchronization

/// A rate limiter whose calls fail: it cannot be reached, or, with `behind`, it charges and refunds
/// but the answers to its charges are lost, because the caller has cancelled or timed out.
final class FailingLimits: LimitsAPI {
    private struct Seen {
        var deadlines: [Duration] = []
        var charged: [String] = []
    }

    private let error: ServiceError
    private let limits: (any LimitsAPI)?
    private let seen = Mutex(Seen())

    init(_ code: ErrorCode = .unavailable, behind limits: (any LimitsAPI)? = nil) {
        error = ServiceError(code)
        self.limits = limits
    }

    /// The deadlines of the charges received.
    var deadlines: [Duration] { seen.withLock { $0.deadlines } }
    /// The charge ids that callers gave to what was charged.
    var charged: [String] { seen.withLock { $0.charged } }

    func consume(
        _ request: RateLimitV1.ConsumeRequest, _ context: CallContext
    ) async throws -> RateLimitV1.ConsumeResponse {
        seen.withLock { $0.deadlines.append(context.deadline) }
        if try await limits?.consume(request, context).decision?.limited == false {
            seen.withLock { $0.charged.append(request.chargeId) }
        }
        throw error
    }

    func refund(
        _ request: RateLimitV1.RefundRequest, _ context: CallContext
    ) async throws -> RateLimitV1.RefundResponse {
        guard let limits else { throw error }
        return try await limits.refund(request, context)
    }

    func succeed(
        _ request: RateLimitV1.SucceedRequest, _ context: CallContext
    ) async throws -> RateLimitV1.SucceedResponse { throw error }

    func hold(
        _ request: RateLimitV1.HoldRequest, _ context: CallContext
    ) async throws -> RateLimitV1.HoldResponse { throw error }

    func reset(
        _ request: RateLimitV1.ResetRequest, _ context: CallContext
    ) async throws -> RateLimitV1.ResetResponse { throw error }

    func peek(
        _ request: RateLimitV1.PeekRequest, _ context: CallContext
    ) async throws -> RateLimitV1.PeekResponse { throw error }
}
