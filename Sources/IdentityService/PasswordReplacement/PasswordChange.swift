import CallRecords
import Cryptography
import Messages
import RPC
import ServiceRuntime
import Storage

/// Replaces the password of who is signed in and knows it (G-12). The session that asks stays, all
/// others end; reset links are void.
///
/// Attack: a stolen access token is used to guess the password. Whatever is asked, only the answer
/// `auth/invalid-credential` tells that a guess was wrong; the gateway counts by it.
struct PasswordChange: Sendable {
    let parts: IdentityParts

    /// Checks of one attempt: where the account changes under one, it is checked anew.
    private static let checksMax = 3

    /// - Throws: `auth/invalid-credential`, `auth/weak-password`, `auth/user-disabled`,
    ///   `auth/idempotency-key-reused`, `rpc/invalid-argument`; `rpc/deadline-exceeded`, not
    ///   processed, as `ResponseTimeFloor.requireTime`.
    func run(
        _ request: IdentityV1.ChangePasswordRequest, _ context: CallContext
    ) async throws -> IdentityV1.ChangePasswordResponse {
        let attempt = try ChangeAttempt(request, context, parts.keys)
        try await parts.slots.requireTime(until: context.deadline)
        for _ in 0..<Self.checksMax {
            if try await check(attempt) { return IdentityV1.ChangePasswordResponse() }
        }
        throw ServiceError(.unavailable, detail: "the account changed under each check")
    }

    /// - Returns: whether the password is replaced; false where the account changed meanwhile.
    private func check(_ attempt: ChangeAttempt) async throws -> Bool {
        let holder = try await parts.store.read { try $0.passwordHolder(attempt.account) }
        // First, so that it tells nothing of the current password.
        let new = try newPassword(attempt, holder)
        let check = PasswordCheck(parts: parts)
        let isRight = try await check.isRight(attempt.current, of: holder)
        if let code = SignInRule.refusal(of: holder?.row.status, isPasswordRight: isRight) {
            do {
                if try await isRepeat(attempt, new, holder) { return true }
            } catch let error as ServiceError {
                throw error.afterComparison
            }
            throw try await refusal(attempt, holder, code)
        }
        guard let holder else { throw ServiceError(.invalidCredential) }
        let hash = try await check.hash(
            new, try AccountReader(parts: parts).vault(holder.row))
        return try await write(attempt, holder, hash)
    }

    private func newPassword(
        _ attempt: ChangeAttempt, _ holder: PasswordHolder?
    ) throws -> Password {
        let context = try holder.map {
            try AccountReader(parts: parts).passwordContext($0.row)
        }
        return try Password.new(
            attempt.new, parts.settings.passwordPolicy, context ?? .none)
    }

    /// Writes that it was refused, and gives the error to throw.
    private func refusal(
        _ attempt: ChangeAttempt, _ holder: PasswordHolder?, _ code: ErrorCode
    ) async throws -> ServiceError {
        do {
            try await parts.store.write { transaction in
                try transaction.audit(
                    AuditEvent(
                        .passwordChangeRefused, account: holder?.row.account.key, outcome: code
                    ).from(attempt.origin))
            }
        } catch let error as ServiceError {
            throw error.afterComparison
        }
        return ServiceError(code)
    }

    /// Whether this call was done before (G-25), so that what was current is no more. It is
    /// answered to who types again the password that the first call set; to others a wrong password
    /// is one like any other, and counts.
    private func isRepeat(
        _ attempt: ChangeAttempt, _ new: Password, _ holder: PasswordHolder?
    ) async throws -> Bool {
        guard attempt.call != nil, let holder, holder.row.status.isUsable else { return false }
        do {
            let first = try await parts.store.write { try $0.storedResponse(of: attempt.call) }
            guard first != nil else { return false }
        } catch let error as ServiceError where error.code == .idempotencyKeyReused {
            // The key of another request: this one was never done.
            return false
        }
        return try await PasswordCheck(parts: parts).isRight(new, of: holder)
    }

    private func write(
        _ attempt: ChangeAttempt, _ checked: PasswordHolder, _ hash: [UInt8]
    ) async throws -> Bool {
        try await parts.store.write { transaction in
            // The password may have been replaced, or the account stopped, while the hash was made:
            // a reset must not be undone by who knew the old one.
            guard let holder = try transaction.passwordHolder(attempt.account),
                holder.row.status.isUsable, holder.sealedHash == checked.sealedHash
            else { return false }
            if try transaction.storedResponse(of: attempt.call) != nil { return true }
            try replace(hash, attempt, transaction)
            try transaction.remember(attempt.call, StoredResponse(account: attempt.account.key))
            return true
        }
    }

    private func replace(
        _ hash: [UInt8], _ attempt: ChangeAttempt, _ transaction: Transaction
    ) throws {
        let account = attempt.account
        try transaction.setPassword(account, sealedHash: hash)
        try transaction.removeLinks(.resetPassword, of: account)
        try transaction.cancelPendingChanges(of: account)
        try transaction.audit(
            AuditEvent(.passwordReplaced, account: account.key).from(attempt.origin))
        try transaction.endSessions(
            of: account, provedUntil: transaction.at, except: attempt.session.text, parts)
        try NoticeMail(parts: parts).write(
            .passwordChanged, to: account, attempt.device, at: transaction.at.milliseconds,
            key: IdentityOutbox(parts: parts).newKey(), transaction)
    }
}
