import Cryptography
import Messages
import RPC
import ServiceRuntime
import Storage

/// Replaces the password of a signed-in caller who enters the current one (G-12). The caller's
/// session is kept and all others end; pending reset links become void.
///
/// Attack: a stolen access token is used to guess the password. A wrong guess always returns
/// `auth/invalid-credential` and nothing else does; the gateway counts guesses by this code.
struct PasswordChange: Sendable {
    let parts: IdentityParts

    /// Password checks for each attempt. The check is repeated when the account changes during it.
    private static let checksMax = 3

    /// - Throws: `auth/invalid-credential`, `auth/weak-password`, `auth/email-not-verified`,
    ///   `auth/user-disabled`, `auth/idempotency-key-reused`, `rpc/invalid-argument`;
    ///   `rpc/unavailable` when the account changes during every check; `rpc/deadline-exceeded`,
    ///   not processed, as `ResponseTimeFloor.requireTime`.
    func run(
        _ request: IdentityV1.ChangePasswordRequest, _ context: CallContext
    ) async throws -> IdentityV1.ChangePasswordResponse {
        let attempt = try ChangeAttempt(request, context, parts.keys)
        try await parts.slots.requireTime(until: context.deadline)
        for _ in 0..<Self.checksMax {
            if try await check(attempt) { return IdentityV1.ChangePasswordResponse() }
        }
        throw ServiceError(.unavailable, detail: "the account changed during every check")
    }

    /// - Returns: whether the password was replaced; false when the account changed during the
    ///   check.
    private func check(_ attempt: ChangeAttempt) async throws -> Bool {
        let holder = try await parts.store.read { try $0.passwordHolder(attempt.account) }
        // The new password is checked first, so that its rejection does not depend on the current
        // password.
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

    /// Records the rejection in the audit log and returns the error to throw.
    /// - Throws: the store's error, as `ServiceError.afterComparison`.
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

    /// Whether this call is a retry of a committed change (G-25), after which the entered current
    /// password is no longer right. The caller must enter the password that the first call set. For
    /// any other caller it is a wrong guess, and counts as one.
    private func isRepeat(
        _ attempt: ChangeAttempt, _ new: Password, _ holder: PasswordHolder?
    ) async throws -> Bool {
        guard attempt.call != nil, let holder, holder.row.status.isUsable else { return false }
        do {
            let first = try await parts.store.write { try $0.storedResponse(of: attempt.call) }
            guard first != nil else { return false }
        } catch let error as ServiceError where error.code == .idempotencyKeyReused {
            // The key belongs to a different request, so this one was never committed.
            return false
        }
        return try await PasswordCheck(parts: parts).isRight(new, of: holder)
    }

    private func write(
        _ attempt: ChangeAttempt, _ checked: PasswordHolder, _ hash: [UInt8]
    ) async throws -> Bool {
        try await parts.store.write { transaction in
            // The password may have been replaced, or the account disabled, while the hash ran. A
            // caller who knows only the old password must not undo a reset.
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
