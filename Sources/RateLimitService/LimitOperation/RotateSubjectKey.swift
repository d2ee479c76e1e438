import Contracts
import Messages
import RPC
import ServiceRuntime

extension LimitOperationHandler {
    /// Makes a new secret the current one.
    /// - Throws: `rpc/permission-denied` unless the operator's tool calls; `auth/too-many-requests`
    ///   with the field `forget_oldest` while four are looked up; `rpc/unavailable` if the store
    ///   cannot be written.
    func rotateSubjectKey(
        _ request: RateLimitV1.RotateSubjectKeyRequest, _ context: CallContext
    ) async throws -> RateLimitV1.RotateSubjectKeyResponse {
        try context.requireOperator()
        try await subjectKeys.rotate(
            at: time.now(), forgettingOldest: request.forgetOldest)
        return RateLimitV1.RotateSubjectKeyResponse(keys: keys)
    }
}
