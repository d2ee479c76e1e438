import Contracts
import IdentityService
import Messages
import RPC
import ServiceRuntime
import Storage

extension AccountAdminHandler {
    /// Removes all passkeys of an account at once (F-01): one of them is a stranger's, or lost. All
    /// sessions end, since one of them may have been opened by it.
    ///
    /// Attack: somebody calls an app's support desk as if they were the owner, so that a password
    /// is enough again. Where a passkey is all that the account has as a second factor, only the
    /// operator may remove it; an application asks for a removal that waits (`resetSecondFactors`),
    /// once there is another factor.
    func removeAccountPasskeys(
        _ request: GatewayV1.RemoveAccountPasskeysRequest, _ context: CallContext
    ) async throws -> GatewayV1.RemoveAccountPasskeysResponse {
        let caller = try AdminCaller(context, actor: request.actor, settings)
        let account = try AccountID.required(request.accountId)
        let isOperators = CallContext.operators.contains(context.application)
        let removed = try await store.write(about: [.account(account)]) { transaction -> Int in
            guard let row = try transaction.account(account) else {
                throw ServiceError(.notFound, fields: ["account_id"])
            }
            let passkeys = try transaction.passkeys(of: account)
            guard !passkeys.isEmpty else { return 0 }
            let isOnlyFactor =
                try transaction.hasPasskeyAsFactor(account, answers.settings)
                && !transaction.hasSecondFactor(account)
            guard isOperators || !isOnlyFactor else { throw ServiceError(.lastSecondFactor) }
            try PasskeyRemoval(writer: writer, transaction: transaction)
                .run(
                    passkeys, from: row, DeviceShown(nil), origin: .unknown, by: caller.actor)
            try transaction.endSessions(
                of: account, provedUntil: transaction.at, reason: .revoked, outbox)
            return passkeys.count
        }
        return GatewayV1.RemoveAccountPasskeysResponse(removed: UInt32(clamping: removed))
    }
}
