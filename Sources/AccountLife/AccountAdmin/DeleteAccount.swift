import IdentityService
import Messages
import RPC
import ServiceRuntime
import Storage

extension AccountAdminHandler {
    /// Deletes an account for an operator (G-20), at once or after `deletion-wait`. A suspended one
    /// can be deleted, too.
    ///
    /// With `backend_done` the app's backend says that it has deleted its part, which a deletion
    /// waits for (`deletion-awaits-backend`). It says so itself, at whatever step the deletion is:
    /// a retry of the call that began the deletion must not be taken for it.
    func deleteAccount(
        _ request: GatewayV1.DeleteAccountRequest, _ context: CallContext
    ) async throws -> GatewayV1.DeleteAccountResponse {
        let caller = try AdminCaller(context, actor: request.actor, settings)
        let account = try AccountID.required(request.accountId)
        // While it waits it can be cancelled, and the backend's part would be gone.
        guard !(request.wait && request.backendDone) else {
            throw ServiceError(.invalidArgument, fields: ["backend_done"])
        }
        let deletion = try await store.write(about: [.account(account)]) { transaction in
            let deletion = try deletions.request(of: account, waits: request.wait, transaction) {
                $0.by(caller)
            }
            guard let deletion else { throw ServiceError(.notFound, fields: ["account_id"]) }
            if request.backendDone { try transaction.noteBackendDone(account) }
            return deletion
        }
        deletions.wake()
        return GatewayV1.DeleteAccountResponse(deletion: deletion)
    }
}

extension Transaction {
    /// Records that the app's backend has deleted its part. A deletion that waits for it continues.
    fileprivate func noteBackendDone(_ account: AccountID) throws {
        guard var deletion = try deletion(of: account) else { return }
        deletion.isBackendDone = true
        try update(deletion)
        try finish(.backend, of: account)
    }
}
