import Contracts
import Cryptography
import Messages
import RPC
import ServiceRuntime
import Storage

extension CredentialsHandler {
    /// Sets a new password with a mailed link (G-11), and issues the proof for a sign-in.
    ///
    /// The link proves that the caller owns the address. The address becomes verified, other links
    /// to it become void (`removeLinksAfterReset`), and all existing sessions end. The link is used
    /// up only by the transaction: after a weak password or for a disabled account it stays valid.
    ///
    /// Where the account asks for a second proof (F-03), the transaction uses the link up and writes a
    /// challenge, in which the new hash waits; nothing else happens before the second proof is there.
    ///
    /// A guest that calls is another account; `GuestDocuments` decides what happens to its data
    /// (G-16, G-27). The session of an account is ignored.
    func resetPassword(
        _ request: GatewayV1.ResetPasswordRequest, _ context: CallContext
    ) async throws -> IdentityV1.ResetPasswordResponse {
        try passwords.requireOn()
        let caller = try await owners.calling(in: context)
        let attempt = try ResetAttempt(request, in: caller, context, keys)
        return try await untilUnchanged {
            guard let (link, row) = try await find(attempt) else {
                return try await answerAgain(attempt)
            }
            // In a session that cannot be used, only a repeat is answered.
            if let caller { _ = try caller.owner.get() }
            guard row.status.mayVerify else { throw ServiceError(.accountDisabled) }
            let new = try await passwords.new(
                attempt.password, by: settings.passwordPolicy,
                try reader.passwordContext(row, app: settings.appName))
            let hash = try await passwords.hash(new, try reader.vault(row))
            guard let done = try await write(attempt, link, hash)?.get() else { return nil }
            if done.guest != nil { writer.guests.wake() }
            return try await answer(
                done.admitted, done.history, setAt: done.history.at,
                forgetsDevices: done.forgetsDevices, guest: done.guest)
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

    /// Writes the reset, or its challenge, whose error is thrown after the commit.
    /// - Returns: nil when the link was used, or the account changed, while the hash ran.
    private func write(
        _ attempt: ResetAttempt, _ checked: Link, _ hash: [UInt8]
    ) async throws -> Result<PasswordReset.Done, ServiceError>? {
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
            switch try admit(row, hash, attempt, transaction) {
            case .challenged(let issued):
                try transaction.removeLinks(.resetPassword, of: row.account)
                try transaction.remember(attempt.repeatable, .init(challenged: row, issued))
                return .failure(issued.error)
            case .admitted(let admitted):
                let done = try PasswordReset(settings: settings, answers: answers).write(
                    hash, of: admitted, on: attempt.device, from: attempt.origin,
                    guest: attempt.caller, transaction)
                try transaction.remember(
                    attempt.repeatable,
                    .init(
                        signInTo: done.admitted.row, history: done.history,
                        forgetsDevices: done.forgetsDevices, collision: done.guest?.collision))
                return .success(done)
            }
        }
    }

    /// Asks the gate, except where the owner of an unverified address takes the account: whatever
    /// would ask belongs to the previous holder, and goes (`Takeover`).
    private func admit(
        _ row: AccountRow, _ hash: [UInt8], _ attempt: ResetAttempt, _ transaction: Transaction
    ) throws -> SignInAdmission.Outcome {
        guard row.address?.provedAt != nil else {
            return .admitted(SignInAdmission.unjudged(row, .takeover, by: .resetLink))
        }
        return try SignInAdmission(settings: settings, writer: writer).admit(
            row, .resetLink, attempt.challenged, on: attempt.device, from: attempt.origin,
            guest: attempt.caller, transaction
        ) { $0.passwordHash = hash }
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
        let admission = SignInAdmission(settings: settings, writer: writer)
        if first.challenge != 0 {
            throw try await challengeAgain(first, account, admission)
        }
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
        let (admitted, guest) = try await store.read { session in
            (
                try admission.admitAgain(holder.row, .resetLink, in: session, at: now),
                try SettledGuest(first.collision, in: session)
            )
        }
        return try await answer(
            admitted, first.history, setAt: max(now - ProofIssuer.afterEnd, setAt),
            forgetsDevices: first.forgetsDevices, guest: guest)
    }

    /// The challenge of a repeat. The link's token, which the request has, is the evidence.
    private func challengeAgain(
        _ first: IdentityV1.StoredResponse, _ account: AccountID, _ admission: SignInAdmission
    ) async throws -> ServiceError {
        try await store.read { session in
            guard let row = try session.account(account) else {
                throw ServiceError(.idempotencyKeyReused)
            }
            return try admission.challengeAgain(first, of: row, after: .resetLink, in: session)
                .error
        }
    }

    /// Proofs from the millisecond of the change end with the older sessions. This proof gets the
    /// first time that stays valid.
    private func answer(
        _ admitted: AdmittedSignIn, _ history: SignInHistory, setAt: Timestamp,
        forgetsDevices: Bool, guest: SettledGuest?
    ) async throws -> IdentityV1.ResetPasswordResponse {
        let answer = try await answers.answer(admitted.row, lastSignInAt: history.before)
        return IdentityV1.ResetPasswordResponse(
            account: answer.account,
            proof: try proofs.signIn(admitted, provedAt: setAt + ProofIssuer.afterEnd),
            history: try history.message.opened(of: admitted.row, reader),
            forgetDevices: forgetsDevices,
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
        /// For the challenge that the reset may begin.
        let challenged: ChallengedCall

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
            device = SignInDevice(request.device, from: origin)
            self.caller = caller
            challenged = ChallengedCall(
                context, deviceID: request.device?.deviceId ?? "", keys)
            repeatable = try RepeatableCall(
                CredentialsDescription.resetPassword, request, context, keys)
        }
    }
}
