import Messages
import RPC
import ServiceRuntime
import Storage

extension AccountAdminHandler {
    /// Deletes an account for an operator (G-20), at once or after `deletion-wait`. A suspended one
    /// can be deleted, too.
    ///
    /// While the deletion waits for the app's backend (`deletion-awaits-backend`), this call is the
    /// backend's answer: it has deleted its part, and the deletion goes on.
    /// - Throws: `rpc/permission-denied`, `rpc/invalid-argument`; `rpc/not-found` also for an
    ///   account that was deleted.
    func deleteAccount(
        _ request: IdentityV1.DeleteAccountRequest, _ context: CallContext
    ) async throws -> IdentityV1.DeleteAccountResponse {
        let caller = try AdminCaller(context, actor: request.actor, settings)
        let account = try AccountID.required(request.accountId)
        let deletion = try await store.write(about: [.account(account)]) { transaction in
            let former = try transaction.deletion(of: account)
            if former?.step == .backend { try transaction.finish(.backend, of: account) }
            let hasAccount = try transaction.standing(account) != nil
            guard former != nil || hasAccount else {
                throw ServiceError(.notFound, fields: ["account_id"])
            }
            let deletion = try transaction.beginDeletion(
                of: account, source: .operator,
                due: request.wait ? transaction.at + settings.deletion.wait : transaction.at,
                deletions)
            // Also told when a deletion that waited begins at once.
            if (former?.step == nil) != (deletion.step == nil) || former == nil {
                try transaction.audit(
                    AuditEvent(
                        .deletionRequested, account: account.key,
                        attempt: deletion.step == nil ? 1 : nil
                    ).by(caller))
            }
            return deletion
        }
        deletions.wake()
        return IdentityV1.DeleteAccountResponse(deletion: deletion.message)
    }
}
