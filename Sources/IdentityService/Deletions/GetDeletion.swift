import Messages
import RPC
import ServiceRuntime
import Storage

extension AccountDeletionsHandler {
    /// Returns the deletion of the caller's account.
    /// - Throws: as `SessionsAPI.validated(accessToken:_:)`; `auth/user-disabled`;
    ///   `auth/invalid-access-token` when the account no longer exists.
    func getDeletion(
        _ request: IdentityV1.GetDeletionRequest, _ context: CallContext
    ) async throws -> IdentityV1.GetDeletionResponse {
        let owner = try await owners.sessions.validated(accessToken: request.accessToken, context)
        return IdentityV1.GetDeletionResponse(
            deletion: try await store.read { session in
                let account = try session.callersRow(owner.account).account
                return try session.deletionMessage(of: account)
            })
    }
}
