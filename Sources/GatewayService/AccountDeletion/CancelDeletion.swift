import Contracts
import Messages
import RPC

extension AccountDeletionHandler {
    /// G-19: identify the caller → have a deletion that waits cancelled.
    /// - Throws: `auth/invalid-link`, `auth/invalid-access-token`, `auth/session-ended`,
    ///   `auth/user-disabled`, `rpc/invalid-argument`.
    func cancelDeletion(
        _ request: GatewayV1.CancelDeletionRequest, _ context: CallContext
    ) async throws -> GatewayV1.CancelDeletionResponse {
        let onward = try context.onward(for: "CancelDeletion")
        let origin = try Origin.of(nil, context)
        let (caller, _) = try await caller(request.linkToken, context)
        let answer = try await deletions.cancelDeletion(
            IdentityV1.CancelDeletionRequest(caller: caller, origin: origin), onward)
        return GatewayV1.CancelDeletionResponse(cancelled: answer.cancelled)
    }
}
