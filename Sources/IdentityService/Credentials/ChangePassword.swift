import Contracts
import Cryptography
import Messages
import RPC
import ServiceRuntime
import Storage

extension CredentialsHandler {
    /// Replaces the password of a signed-in caller who enters the current one (G-12). The caller's
    /// session is kept and all others end; pending reset links become void.
    ///
    /// An account with a second factor asks for a recent second proof as well (F-04). Attack: somebody
    /// knows the password, finds the phone unlocked, and shuts the owner out. A repeat needs none.
    ///
    /// Attack: a stolen access token is used to guess the password. A wrong guess always returns
    /// `auth/invalid-credential` and nothing else does; the gateway counts guesses by this code. An
    /// idempotency key of another session is refused before the password is compared: the error
    /// would confirm a right one with no record and no mail to the owner. Each call compares one
    /// password: a repeat the new one, any other the current one.
    func changePassword(
        _ request: GatewayV1.ChangePasswordRequest, _ context: CallContext
    ) async throws -> GatewayV1.ChangePasswordResponse {
        try passwords.requireOn(field: "new_password")
        let known = try await owners.known(in: context)
        let attempt = try ChangeAttempt(request, by: known.owner, context, keys)
        var isRepeat = try await isCommitted(attempt)
        if !isRepeat {
            try known.requireBesidePassword()
            // It may take a second, so the time that a comparison takes is required after it.
            try await refuseLeaked(attempt)
        }
        try await passwords.responseTimeFloor.requireTime(until: context.deadline)
        return try await untilUnchanged {
            if isRepeat {
                try await checkRepeat(attempt)
                return GatewayV1.ChangePasswordResponse()
            }
            if try await check(attempt) { return GatewayV1.ChangePasswordResponse() }
            do {
                isRepeat = try await isCommitted(attempt)
            } catch let error as ServiceError {
                throw error.afterComparison
            }
            return nil
        }
    }

    /// Whether an earlier call of this change was committed.
    /// - Throws: `auth/idempotency-key-reused`.
    private func isCommitted(_ attempt: ChangeAttempt) async throws -> Bool {
        try await store.storedResponse(of: attempt.repeatable, at: time.now()) != nil
    }

    /// A retry of a committed change (G-25), after which the entered current password is no longer
    /// right: the caller must enter the password that the first call set. For any other caller it
    /// is a wrong guess, and counts as one.
    /// - Throws: `auth/session-ended`, `auth/weak-password`; as `SignInRule`.
    private func checkRepeat(_ attempt: ChangeAttempt) async throws {
        let holder = try await holder(attempt)
        let isRight = try await passwords.isRight(newPassword(attempt, holder), of: holder)
        if let code = SignInRule.refusal(of: holder?.row.status, isPasswordRight: isRight) {
            throw try await refusal(attempt, holder, code)
        }
    }

    /// - Returns: whether the password was replaced; false when the account changed during the
    ///   check.
    private func check(_ attempt: ChangeAttempt) async throws -> Bool {
        let holder = try await holder(attempt)
        // The new password is checked first, so that its rejection does not depend on the current
        // password.
        let new = try newPassword(attempt, holder)
        let isRight = try await passwords.isRight(attempt.current, of: holder)
        if let code = SignInRule.refusal(of: holder?.row.status, isPasswordRight: isRight) {
            do {
                // The first of two calls was committed during the check of the second.
                if try await isCommitted(attempt) { return false }
            } catch let error as ServiceError {
                throw error.afterComparison
            }
            throw try await refusal(attempt, holder, code)
        }
        guard let holder else { throw ServiceError(.invalidCredential) }
        let hash = try await passwords.hash(new, try reader.vault(holder.row))
        let isWritten: Bool?
        do {
            isWritten = try await write(
                attempt, holder, hash, isSame: new.bytes == attempt.current.bytes)
        } catch let error as ServiceError {
            throw error.afterComparison
        }
        guard let isWritten else { throw ServiceError(.idempotencyKeyReused) }
        return isWritten
    }

    /// The account as it is before a comparison. A session that has ended compares nothing: if only
    /// the right password led to that error, it would confirm one with no record.
    private func holder(_ attempt: ChangeAttempt) async throws -> PasswordHolder? {
        try await store.read { session in
            try session.requireLive(attempt.owner)
            return try session.passwordHolder(attempt.account)
        }
    }

    private func newPassword(
        _ attempt: ChangeAttempt, _ holder: PasswordHolder?
    ) throws -> Password {
        let context = try holder.map {
            try reader.passwordContext($0.row, app: settings.appName)
        }
        return try Password.allowed(
            attempt.new, by: settings.passwordPolicy, context ?? .none, field: "new_password")
    }

    /// Refuses a new password that has leaked, if the policy allows it.
    /// - Throws: `auth/weak-password`; `auth/session-ended`.
    private func refuseLeaked(_ attempt: ChangeAttempt) async throws {
        guard let breached = passwords.breached else { return }
        let new = try newPassword(attempt, try await holder(attempt))
        try await breached.refuse(ifLeaked: new, field: "new_password")
    }

    /// Records the rejection in the audit log and returns the error to throw.
    /// - Throws: the store's error, as `ServiceError.afterComparison`.
    private func refusal(
        _ attempt: ChangeAttempt, _ holder: PasswordHolder?, _ code: ErrorCode
    ) async throws -> ServiceError {
        do {
            try await store.write(about: [], evenIfCancelled: true) { transaction in
                try transaction.audit(
                    .passwordChangeRefused, holder?.row.account, from: attempt.origin, outcome: code
                )
            }
        } catch let error as ServiceError {
            throw error.afterComparison
        }
        return ServiceError(code)
    }

    /// - Parameter isSame: The new password is the current one.
    /// - Returns: false if the account changed during the check; nil if an earlier call with the
    ///   idempotency key set another password.
    private func write(
        _ attempt: ChangeAttempt, _ checked: PasswordHolder, _ hash: [UInt8], isSame: Bool
    ) async throws -> Bool? {
        try await store.write(about: [.account(attempt.account)], evenIfCancelled: true) {
            transaction in
            // The password may have been replaced, or the account disabled, while the hash ran. A
            // caller who knows only the old password must not undo a reset.
            guard let holder = try transaction.passwordHolder(attempt.account),
                holder.row.status.isUsable, holder.sealedHash == checked.sealedHash
            else { return false }
            try transaction.requireLive(attempt.owner)
            if try transaction.storedResponse(of: attempt.repeatable) != nil {
                // The fingerprint has no passwords. This is the first call's request only if that
                // one set the password which is the current one now.
                return isSame ? true : nil
            }
            try replace(hash, attempt, transaction)
            try transaction.remember(attempt.repeatable, .init(account: attempt.account.key))
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
            .passwordReplaced, account, detail: .password(.change), from: attempt.origin)
        try transaction.endSessions(
            of: account, provedUntil: transaction.at, except: attempt.owner.session, outbox)
        try notices.write(
            .passwordChanged, to: account, attempt.device, except: attempt.owner.session,
            transaction)
    }
}

extension CredentialsHandler {
    /// The validated request of a password change.
    struct ChangeAttempt: Sendable {
        /// The session that made the call. It is kept when the others end.
        let owner: SessionOwner
        let current: Password
        /// As entered. The policy check needs the account, so it comes later.
        let new: SecretBytes
        let device: DeviceShown
        let origin: CallOrigin
        /// For idempotent retries; nil when the call carries no key.
        let repeatable: RepeatableCall?

        var account: AccountID { owner.account }

        /// Reads a request.
        /// - Throws: `rpc/invalid-argument`; `auth/invalid-credential` for a current password that
        ///   exceeds the accepted length.
        init(
            _ request: GatewayV1.ChangePasswordRequest, by owner: SessionOwner,
            _ context: CallContext, _ keys: IdentityKeys
        ) throws(ServiceError) {
            guard let current = Password(entered: request.currentPassword) else {
                throw ServiceError(.invalidCredential)
            }
            self.owner = owner
            self.current = current
            new = request.newPassword
            origin = CallOrigin(context, on: request.device, keys)
            device = DeviceShown(request.device, from: origin)
            repeatable = try RepeatableCall(
                CredentialsDescription.changePassword, request, by: owner.session, context, keys)
        }
    }
}
