import Contracts
import Cryptography
import Messages
import RPC
import ServiceRuntime
import Storage

extension CredentialsHandler {
    /// Sets a new password with a mailed link (G-11), and issues the proof for a sign-in.
    ///
    /// The link proves that the caller owns the address. The address becomes verified, all other
    /// links to it become void, and all existing sessions end. The link is used up only by the
    /// transaction: after a weak password or for a disabled account it stays valid.
    ///
    /// A guest that calls is another account; `GuestDocuments` decides what happens to its data
    /// (G-16, G-27). The session of an account is ignored.
    func resetPassword(
        _ request: GatewayV1.ResetPasswordRequest, _ context: CallContext
    ) async throws -> IdentityV1.ResetPasswordResponse {
        let caller = try await owners.calling(in: context)
        let attempt = try ResetAttempt(request, in: caller, context, keys)
        return try await untilUnchanged {
            guard let (link, row) = try await find(attempt) else {
                return try await answerAgain(attempt)
            }
            // In a session that cannot be used, only a repeat is answered.
            if let caller { _ = try caller.owner.get() }
            guard row.status.mayVerify else { throw ServiceError(.accountDisabled) }
            let new = try Password.new(
                attempt.password, settings.passwordPolicy,
                try reader.passwordContext(row, app: settings.appName))
            let hash = try await passwords.hash(new, try reader.vault(row))
            if let done = try await write(attempt, link, hash) {
                if done.guest != nil { writer.guests.wake() }
                return try await answer(
                    done.row, done.history, setAt: done.history.at,
                    forgetsDevices: done.forgetsDevices, guest: done.guest)
            }
            return nil
        }
    }

    private func find(_ attempt: ResetAttempt) async throws -> (Link, AccountRow)? {
        let now = time.now()
        return try await store.read { try Self.find(attempt, $0, at: now) }
    }

    private static func find(
        _ attempt: ResetAttempt, _ session: some SQLSession, at moment: Timestamp
    ) throws -> (Link, AccountRow)? {
        guard
            let link = try session.link(.resetPassword, tokenHash: attempt.tokenHash, at: moment),
            let row = try session.account(link.account),
            row.address?.lookUpKey == link.addressKey
        else { return nil }
        return (link, row)
    }

    /// What a reset wrote.
    private struct Done: Sendable {
        let row: AccountRow
        let history: SignInHistory
        /// Whether devices that are known under the email are not the owner's: the address was
        /// unverified, or there was no password.
        let forgetsDevices: Bool
        /// The guest that made the call.
        let guest: SettledGuest?
    }

    /// - Returns: nil when the link was used, or the account changed, while the hash ran.
    private func write(
        _ attempt: ResetAttempt, _ checked: Link, _ hash: [UInt8]
    ) async throws -> Done? {
        let subjects = [.account(checked.account)] + attempt.caller.subjects
        return try await store.write(about: subjects) { transaction in
            // A key that another request used is rejected before anything is written.
            guard try transaction.storedResponse(of: attempt.repeatable) == nil,
                let (link, row) = try Self.find(attempt, transaction, at: transaction.at),
                link == checked, row.status.mayVerify
            else { return nil }
            // Attack: a thief of a guest's tokens takes its documents into an account of the
            // thief's, after the guest has become an account, which ended that session.
            if let caller = attempt.caller { try transaction.requireLive(caller.owner.get()) }
            let forgetsDevices =
                try row.address?.provedAt == nil
                || transaction.passwordHolder(row.account)?.sealedHash == nil
            let history = try set(hash, of: row, attempt, transaction)
            let guest = try writer.guests.settle(
                attempt.caller, afterSignInTo: row.account, from: attempt.origin, transaction)
            guard let new = try transaction.account(row.account), new.address?.provedAt != nil
            else { throw ServiceError(.internalError, detail: "the address is not verified") }
            try transaction.remember(
                attempt.repeatable,
                .init(
                    signInTo: new, history: history, forgetsDevices: forgetsDevices,
                    collision: guest?.collision))
            return Done(row: new, history: history, forgetsDevices: forgetsDevices, guest: guest)
        }
    }

    private func set(
        _ hash: [UInt8], of row: AccountRow, _ attempt: ResetAttempt, _ transaction: Transaction
    ) throws -> SignInHistory {
        let account = row.account
        func audit(_ kind: AuditKind, _ detail: AuditDetail? = nil) throws {
            try transaction.audit(kind, account, detail: detail, from: attempt.origin)
        }
        try transaction.removeLinks(of: account)
        try transaction.cancelPendingChanges(of: account)
        try transaction.setAddressProved(account)
        // Attack: somebody with the open mailbox requests it by a mailed link and removes the
        // mails.
        if try writer.deletions.cancel(of: account, from: attempt.origin, transaction) {
            try notices.deletionCancelled(account, transaction)
        }
        let isTakeover = row.address?.provedAt == nil
        if isTakeover {
            try audit(.emailVerified)
            try Takeover(writer: writer, transaction: transaction)
                .removeIdentities(row, attempt.device.shown, origin: attempt.origin)
        }
        try transaction.setPassword(account, sealedHash: hash)
        try audit(.passwordReplaced, .password(isTakeover ? .takeover : .reset))
        let history = try SignInRecorder(settings: settings, writer: writer)
            .record(
                account, before: row.lastSignInAt, by: .password, on: attempt.device,
                from: attempt.origin, transaction)
        try audit(.signInSucceeded, .method(SignInMethod.password.name))
        try transaction.endSessions(of: account, provedUntil: transaction.at, outbox)
        try notices.write(.passwordChanged, to: account, attempt.device.shown, transaction)
        return history
    }

    /// The link no longer exists, but the call may be a retry of the one that used it (G-25). The
    /// caller must enter the password that the first call set.
    private func answerAgain(
        _ attempt: ResetAttempt
    ) async throws -> IdentityV1.ResetPasswordResponse {
        guard let first = try await store.storedResponse(of: attempt.repeatable, at: time.now())
        else {
            throw ServiceError(.invalidLink)
        }
        let account = try AccountID(stored: first.account)
        // The proof's time is taken before the hash. If the password is replaced while the hash
        // runs, the session service rejects this proof with all older ones.
        let now = time.now()
        let (holder, setAt) = try await store.read {
            (try $0.passwordHolder(account), try $0.passwordSetAt(account))
        }
        try await passwords.require(of: account, repeating: attempt.repeatable) {
            try await passwords.isRight(attempt.password, of: holder)
        }
        guard let holder, let setAt else { throw ServiceError(.idempotencyKeyReused) }
        guard holder.row.status.isUsable else { throw ServiceError(.accountDisabled) }
        let guest = try await store.read { try SettledGuest(first.collision, in: $0) }
        return try await answer(
            holder.row, first.history, setAt: max(now - ProofIssuer.afterEnd, setAt),
            forgetsDevices: first.forgetsDevices, guest: guest)
    }

    /// Proofs from the millisecond of the change end with the older sessions. This proof gets the
    /// first time that stays valid.
    private func answer(
        _ row: AccountRow, _ history: SignInHistory, setAt: Timestamp, forgetsDevices: Bool,
        guest: SettledGuest?
    ) async throws -> IdentityV1.ResetPasswordResponse {
        let answer = try await answers.answer(row, lastSignInAt: history.before)
        return IdentityV1.ResetPasswordResponse(
            account: answer.account,
            proof: proofs.proof(row, by: .resetLink, provedAt: setAt + ProofIssuer.afterEnd),
            history: history.message, forgetDevices: forgetsDevices,
            collision: try await guest?.answer(answers),
            requiredActions: answer.requiredActions)
    }
}

extension CredentialsHandler {
    /// The validated request that uses a reset link.
    struct ResetAttempt: Sendable {
        let tokenHash: [UInt8]
        /// As entered.
        let password: SecretBytes
        let device: SignInDevice
        let origin: CallOrigin
        /// The session that made the call; nil outside a session.
        let caller: CallingSession?
        /// For idempotent retries; nil when the call carries no key.
        let repeatable: RepeatableCall?

        /// Reads a request.
        /// - Throws: `auth/invalid-link` for a malformed token; `rpc/invalid-argument` for an
        ///   invalid idempotency key.
        init(
            _ request: GatewayV1.ResetPasswordRequest, in caller: CallingSession?,
            _ context: CallContext, _ keys: IdentityKeys
        ) throws(ServiceError) {
            guard let token = LinkToken(text: request.token) else {
                throw ServiceError(.invalidLink)
            }
            tokenHash = token.hash(.resetPassword, keys.links)
            password = request.password
            origin = CallOrigin(context, on: request.device, keys)
            device = SignInDevice(request.device, at: origin.place)
            self.caller = caller
            repeatable = try RepeatableCall(
                CredentialsDescription.resetPassword, request, context, keys)
        }
    }
}
