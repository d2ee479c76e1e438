import Messages
import RPC
import ServiceRuntime
import Storage

/// Suspends accounts, lifts suspensions, and ends sessions (I-09). Each act is one transaction: the
/// status, the removal of pending links, codes and address changes, the outbox messages for the end
/// of the sessions and the mail to the owner, and the audit record of the actor. The mail does not
/// contain the reason, which is for the operator only.
struct AdminStop: Sendable {
    private static let reasonBytes = 1...500

    let parts: IdentityParts

    /// Suspends an account. A concurrent sign-in does not get a session: `EndAccount` rejects all
    /// proofs up to now, and the sign-in's own transaction checks the status.
    /// - Throws: `rpc/permission-denied`, `rpc/invalid-argument`, `rpc/not-found`.
    func suspend(
        _ request: IdentityV1.SuspendAccountRequest, _ context: CallContext
    ) async throws -> IdentityV1.SuspendAccountResponse {
        let caller = try AdminCaller(context, actor: request.actor, parts.settings)
        let account = try AccountID.required(request.accountId)
        guard Self.reasonBytes.contains(request.reason.utf8.count) else {
            throw ServiceError(.invalidArgument, fields: ["reason"])
        }
        let row = try await AccountReader(parts: parts).account(account)
        let reason = try AccountReader(parts: parts).vault(row)
            .seal(request.reason, .suspensionReason)
        return try await parts.store.write { transaction in
            let changed = try transaction.apply(.suspend, account)
            if changed { try stop(account, reason, caller, transaction) }
            return IdentityV1.SuspendAccountResponse(
                account: try AdminAccountReader(parts: parts).message(account, transaction),
                changed: changed)
        }
    }

    private func stop(
        _ account: AccountID, _ sealedReason: [UInt8], _ caller: AdminCaller,
        _ transaction: Transaction
    ) throws {
        try transaction.noteSuspension(of: account, sealedReason: sealedReason)
        // Links and codes that were already sent must not work after the suspension is lifted.
        try transaction.voidWhatIsUnderWay(of: account)
        try endSessions(of: account, transaction)
        try tell(.accountSuspended, account, transaction)
        try transaction.audit(AuditEvent(.accountSuspended, account: account.key).by(caller))
    }

    /// Lifts a suspension.
    /// - Throws: as `suspend`.
    func restore(
        _ request: IdentityV1.RestoreAccountRequest, _ context: CallContext
    ) async throws -> IdentityV1.RestoreAccountResponse {
        let caller = try AdminCaller(context, actor: request.actor, parts.settings)
        let account = try AccountID.required(request.accountId)
        return try await parts.store.write { transaction in
            let changed = try transaction.apply(.restore, account)
            if changed {
                try transaction.removeSuspension(of: account)
                try tell(.accountRestored, account, transaction)
                try transaction.audit(
                    AuditEvent(.accountRestored, account: account.key).by(caller))
            }
            return IdentityV1.RestoreAccountResponse(
                account: try AdminAccountReader(parts: parts).message(account, transaction),
                changed: changed)
        }
    }

    /// Ends all sessions of an account.
    /// - Throws: as `suspend`.
    func signOut(
        _ request: IdentityV1.SignOutAccountRequest, _ context: CallContext
    ) async throws -> IdentityV1.SignOutAccountResponse {
        let caller = try AdminCaller(context, actor: request.actor, parts.settings)
        let account = try AccountID.required(request.accountId)
        try await parts.store.write { transaction in
            guard try transaction.standing(account) != nil else {
                throw ServiceError(.notFound, fields: ["account_id"])
            }
            try endSessions(of: account, transaction)
            try transaction.audit(
                AuditEvent(.accountSignedOut, account: account.key).by(caller))
        }
        return IdentityV1.SignOutAccountResponse()
    }

    private func tell(
        _ kind: NoticeKind, _ account: AccountID, _ transaction: Transaction
    ) throws {
        try NoticeMail(parts: parts).write(
            kind, to: account, DeviceShown(name: "", platform: ""),
            at: transaction.at.milliseconds, key: IdentityOutbox(parts: parts).newKey(),
            transaction)
    }

    private func endSessions(of account: AccountID, _ transaction: Transaction) throws {
        try transaction.endSessions(
            of: account, provedUntil: transaction.at, reason: .revoked, parts)
    }
}
