import CallRecords
import Cryptography
import Messages
import RPC
import ServiceRuntime
import Storage

/// Sets a new password by a link from a mail (G-11), and proves a sign-in.
///
/// Who opens the link owns the address: it is proved, whatever else was mailed to it is void, and
/// who was in the account until now is out. Only the transaction uses the link up: a weak password
/// or a stopped account leaves it good.
struct PasswordReset: Sendable {
    let parts: IdentityParts

    /// Tries of one attempt: where the account changes under one, it is looked at anew.
    private static let triesMax = 3
    /// RFC 8176: by what only the mail's reader has, once, and the password that was set.
    private static let methods = ["otp", "pwd"]

    /// - Throws: `auth/invalid-link`, `auth/weak-password`, `auth/user-disabled`,
    ///   `auth/idempotency-key-reused`.
    func run(
        _ request: IdentityV1.ResetPasswordRequest, _ context: CallContext
    ) async throws -> IdentityV1.ResetPasswordResponse {
        let attempt = try ResetAttempt(request, context, parts.keys)
        for _ in 0..<Self.triesMax {
            guard let (link, row) = try await find(attempt) else {
                return try await answerAgain(attempt)
            }
            guard row.status.mayVerify else { throw ServiceError(.accountDisabled) }
            let reading = AccountReader(parts: parts)
            let new = try Password.new(
                attempt.password, parts.settings.passwordPolicy, try reading.passwordContext(row))
            let hash = try await PasswordCheck(parts: parts).hash(new, try reading.vault(row))
            if let done = try await write(attempt, link, hash) {
                return try answer(
                    done.row, done.news, setAt: done.news.at, isTakenOver: done.isTakenOver)
            }
        }
        throw ServiceError(.unavailable, detail: "the account changed under each try")
    }

    private func find(_ attempt: ResetAttempt) async throws -> (Link, AccountRow)? {
        let now = parts.time.now()
        return try await parts.store.read { try Self.find(attempt, $0, at: now) }
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
        let news: SignInNews
        /// The address had not been proved until then.
        let isTakenOver: Bool
    }

    /// - Returns: nil where the link was used, or the account changed, while the hash was made.
    private func write(
        _ attempt: ResetAttempt, _ checked: Link, _ hash: [UInt8]
    ) async throws -> Done? {
        try await parts.store.write { transaction in
            // A key that was another request's is refused before anything is written.
            guard try transaction.storedResponse(of: attempt.call) == nil,
                let (link, row) = try Self.find(attempt, transaction, at: transaction.at),
                link == checked, row.status.mayVerify
            else { return nil }
            let news = try set(hash, of: row, attempt, transaction)
            let isTakenOver = row.address?.provedAt == nil
            try transaction.remember(
                attempt.call,
                StoredResponse(account: row.account, news: news, isTakenOver: isTakenOver))
            guard let new = try transaction.account(row.account), new.address?.provedAt != nil
            else { throw ServiceError(.internalError, detail: "a proved address is not there") }
            return Done(row: new, news: news, isTakenOver: isTakenOver)
        }
    }

    private func set(
        _ hash: [UInt8], of row: AccountRow, _ attempt: ResetAttempt, _ transaction: Transaction
    ) throws -> SignInNews {
        let account = row.account
        func audit(_ kind: AuditKind) throws {
            try transaction.audit(AuditEvent(kind, account: account.key).from(attempt.origin))
        }
        try transaction.removeLinks(of: account)
        try transaction.cancelPendingChanges(of: account)
        try transaction.setAddressProved(account)
        if row.address?.provedAt == nil {
            try audit(.emailVerified)
            try Takeover(parts: parts, transaction: transaction)
                .removeIdentities(row, attempt.device.shown, origin: attempt.origin)
        }
        try transaction.setPassword(account, sealedHash: hash)
        try audit(.passwordReplaced)
        let news = try SignInRecorder(parts: parts).note(
            account, before: row.lastSignInAt, by: "password", on: attempt.device,
            from: attempt.origin, transaction)
        try audit(.signInSucceeded)
        try transaction.endSessions(of: account, provedUntil: transaction.at, parts)
        try NoticeMail(parts: parts).write(
            .passwordChanged, to: account, attempt.device.shown,
            at: transaction.at.milliseconds, key: IdentityOutbox(parts: parts).newKey(),
            transaction)
        return news
    }

    /// The link is gone, but this may be a repeat of the call that used it (G-25). It is answered
    /// to who types again the password that the first call set.
    private func answerAgain(
        _ attempt: ResetAttempt
    ) async throws -> IdentityV1.ResetPasswordResponse {
        guard attempt.call != nil,
            let first = try await parts.store.write({ try $0.storedResponse(of: attempt.call) })
        else { throw ServiceError(.invalidLink) }
        let account = try AccountID(stored: first.account)
        // Proved as of now, not of after the hash: if the password is replaced meanwhile, session
        // refuses this proof with all others from before.
        let now = parts.time.now()
        let (holder, setAt) = try await parts.store.read {
            (try $0.passwordHolder(account), try $0.passwordSetAt(account))
        }
        guard let typed = Password(entered: attempt.password),
            try await PasswordCheck(parts: parts).isRight(typed, of: holder),
            let holder, let setAt
        else { throw ServiceError(.idempotencyKeyReused) }
        guard holder.row.status.isUsable else { throw ServiceError(.accountDisabled) }
        return try answer(
            holder.row, first.news, setAt: max(now - ProofIssuer.afterEnd, setAt),
            isTakenOver: first.isTakenOver)
    }

    /// Proofs of the millisecond of the change end with the sessions before it; this one is the first
    /// that stays.
    private func answer(
        _ row: AccountRow, _ news: SignInNews, setAt: Timestamp, isTakenOver: Bool
    ) throws -> IdentityV1.ResetPasswordResponse {
        IdentityV1.ResetPasswordResponse(
            account: try AccountReader(parts: parts).message(row, lastSignInAt: news.before),
            proof: ProofIssuer(parts: parts).proof(
                row.account, by: Self.methods, provedAt: setAt + ProofIssuer.afterEnd),
            news: news.message, takenOver: isTakenOver)
    }
}
