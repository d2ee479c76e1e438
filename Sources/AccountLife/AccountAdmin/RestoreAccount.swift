import Contracts
import IdentityService
import Messages
import RPC
import ServiceRuntime
import Storage

extension AccountAdminHandler {
    /// Lifts a suspension (I-09), also a parent's: then the deletion that waits is cancelled, and
    /// another parent is needed (`Transaction.keepWithoutParent`).
    func restoreAccount(
        _ request: GatewayV1.RestoreAccountRequest, _ context: CallContext
    ) async throws -> GatewayV1.RestoreAccountResponse {
        let caller = try AdminCaller(context, actor: request.actor, settings)
        let account = try AccountID.required(request.accountId)
        return try await store.write(about: [.account(account)]) { transaction in
            let isWithdrawn = try transaction.standing(account)?.isWithdrawn ?? false
            let isKept =
                try isWithdrawn
                && transaction.cancelDeletion(of: account, from: CallOrigin(nil, hash: keys.audit))
            let changed = try transaction.apply(.restore, account) || isKept
            if changed {
                try transaction.removeSuspension(of: account)
                try notifyOwner(.accountRestored, account, transaction)
                try transaction.audit(
                    AuditEvent(.accountRestored, account: account.key).by(caller))
            }
            return GatewayV1.RestoreAccountResponse(
                account: try message(account, transaction), changed: changed)
        }
    }
}
