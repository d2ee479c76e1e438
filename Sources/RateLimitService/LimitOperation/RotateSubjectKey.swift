import Contracts
import Messages
import RPC
import ServiceRuntime

extension LimitOperationHandler {
    /// Makes a new secret the current one.
    func rotateSubjectKey(
        _ request: RateLimitV1.RotateSubjectKeyRequest, _ context: CallContext
    ) async throws -> RateLimitV1.RotateSubjectKeyResponse {
        try context.requireOperator()
        try await subjectKeys.rotate(
            at: time.now(), forgettingOldest: request.forgetOldest)
        return RateLimitV1.RotateSubjectKeyResponse(keys: keys)
    }
}
