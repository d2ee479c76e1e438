import IdentityService
import Messages
import RPC
import ServiceRuntime
import Storage

extension AccountAdminHandler {
    /// Ends all sessions of an account.
    func signOutAccount(
        _ request: GatewayV1.SignOutAccountRequest, _ context: CallContext
    ) async throws -> GatewayV1.SignOutAccountResponse {
        let caller = try AdminCaller(context, actor: request.actor, settings)
        let account = try AccountID.required(request.accountId)
        try await store.write(about: [.account(account)]) { transaction in
            guard try transaction.standing(account) != nil else {
                throw ServiceError(.notFound, fields: ["account_id"])
            }
            try transaction.endSessions(
                of: account, provedUntil: transaction.at, reason: .revoked, outbox)
            try transaction.audit(
                AuditEvent(.accountSignedOut, account: account.key).by(caller))
        }
        return GatewayV1.SignOutAccountResponse()
    }
}
