import Contracts
import Messages
import RPC
import ServiceRuntime
import Synchronization

/// A rate limiter whose calls fail, as the network reports when the service cannot be reached.
final class AbsentLimits: LimitsAPI {
    private let error: ServiceError
    private let seen = Mutex<[Duration]>([])

    init(_ code: ErrorCode = .unavailable) { error = ServiceError(code) }

    /// The deadlines of the calls received.
    var deadlines: [Duration] { seen.withLock { $0 } }

    func consume(
        _ request: RateLimitV1.ConsumeRequest, _ context: CallContext
    ) async throws -> RateLimitV1.ConsumeResponse {
        seen.withLock { $0.append(context.deadline) }
        throw error
    }

    func check(
        _ request: RateLimitV1.CheckRequest, _ context: CallContext
    ) async throws -> RateLimitV1.CheckResponse { throw error }

    func succeed(
        _ request: RateLimitV1.SucceedRequest, _ context: CallContext
    ) async throws -> RateLimitV1.SucceedResponse { throw error }

    func reset(
        _ request: RateLimitV1.ResetRequest, _ context: CallContext
    ) async throws -> RateLimitV1.ResetResponse { throw error }

    func refund(
        _ request: RateLimitV1.RefundRequest, _ context: CallContext
    ) async throws -> RateLimitV1.RefundResponse { throw error }

    func peek(
        _ request: RateLimitV1.PeekRequest, _ context: CallContext
    ) async throws -> RateLimitV1.PeekResponse { throw error }
}
