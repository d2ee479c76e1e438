import Contracts
import IdentityService
import Messages
import RPC
import ServiceRuntime
import Storage

extension AccountAdminHandler {
    static let reasonBytes = 1...500

    /// Suspends an account (I-09), in one transaction: the status, the removal of pending links,
    /// codes and address changes, the outbox messages for the end of the sessions and the mail to
    /// the owner, and the audit record of the actor. The mail does not contain the reason, which is
    /// for the operator only.
    ///
    /// A concurrent sign-in does not get a session: `EndAccount` rejects all proofs up to now, and
    /// the sign-in's own transaction checks the status.
    func suspendAccount(
        _ request: GatewayV1.SuspendAccountRequest, _ context: CallContext
    ) async throws -> GatewayV1.SuspendAccountResponse {
        let caller = try AdminCaller(context, actor: request.actor, settings)
        let account = try AccountID.required(request.accountId)
        guard Self.reasonBytes.contains(request.reason.utf8.count) else {
            throw ServiceError(.invalidArgument, fields: ["reason"])
        }
        let row = try await store.account(account)
        let reason = try reader.vault(row).seal(request.reason, .suspensionReason)
        return try await store.write(about: [.account(account)]) { transaction in
            let changed = try transaction.apply(.suspend, account)
            if changed { try stop(account, reason, caller, transaction) }
            return GatewayV1.SuspendAccountResponse(
                account: try message(account, transaction), changed: changed)
        }
    }

    private func stop(
        _ account: AccountID, _ sealedReason: [UInt8], _ caller: AdminCaller,
        _ transaction: Transaction
    ) throws {
        try transaction.recordSuspension(of: account, sealedReason: sealedReason)
        // Links and codes that were already sent must not work after the suspension is lifted.
        try transaction.voidPendingState(of: account)
        try transaction.endSessions(
            of: account, provedUntil: transaction.at, reason: .revoked, outbox)
        try notifyOwner(.accountSuspended, account, transaction)
        try transaction.audit(AuditEvent(.accountSuspended, account: account.key).by(caller))
    }

    /// Mails the owner that the account was suspended or restored.
    func notifyOwner(
        _ template: MailTemplate, _ account: AccountID, _ transaction: Transaction
    ) throws {
        try notices.write(template, to: account, DeviceShown(nil), byOperator: true, transaction)
    }
}
