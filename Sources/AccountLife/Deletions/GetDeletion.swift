import IdentityService
import Messages
import RPC
import ServiceRuntime
import Storage

extension AccountDeletionsHandler {
    /// Returns the deletion of the caller's account.
    func getDeletion(
        _ request: GatewayV1.GetDeletionRequest, _ call: DeletionCall
    ) async throws -> GatewayV1.GetDeletionResponse {
        let owner = try await calls.owner(in: call.context)
        return GatewayV1.GetDeletionResponse(
            deletion: try await store.read { session in
                let account = try session.callersRow(owner.account).account
                return try session.deletionMessage(of: account)
            })
    }
}
