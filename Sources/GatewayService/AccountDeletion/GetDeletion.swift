import Contracts
import Messages
import RPC

extension AccountDeletionHandler {
    /// G-19: identity judges the access token and returns where the deletion stands.
    /// - Throws: `auth/invalid-access-token`, `auth/session-ended`, `auth/user-disabled`,
    ///   `rpc/invalid-argument`.
    func getDeletion(
        _ request: GatewayV1.GetDeletionRequest, _ context: CallContext
    ) async throws -> GatewayV1.GetDeletionResponse {
        let answer = try await deletions.getDeletion(
            IdentityV1.GetDeletionRequest(accessToken: try context.requiredAccessToken()),
            context.onward())
        return GatewayV1.GetDeletionResponse(deletion: answer.deletion)
    }
}
