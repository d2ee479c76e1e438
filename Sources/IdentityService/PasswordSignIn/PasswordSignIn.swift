import Messages
import RPC
import ServiceRuntime
import Storage

/// Signs in by email and password (G-03): reads, verifies, decides, writes, issues the proof.
///
/// An unknown address and a wrong password take the same steps: one read, one hash, one audit
/// write, one error code.
struct PasswordSignIn: Sendable {
    let parts: IdentityParts

    /// Password checks for each attempt. The account can change during a check: a concurrent
    /// sign-in upgrades its hash, or its password is replaced. The check is then repeated.
    private static let checksMax = 3

    /// - Throws: as `SignInRule`; `auth/invalid-email` for an invalid address;
    ///   `auth/idempotency-key-reused`; `rpc/unavailable` when the account changes during every
    ///   check; `rpc/deadline-exceeded`, not processed, as `ResponseTimeFloor.requireTime`.
    func run(
        _ request: IdentityV1.VerifyPasswordRequest, _ context: CallContext
    ) async throws -> IdentityV1.VerifyPasswordResponse {
        let attempt = try SignInAttempt(request, context, parts.keys)
        try await parts.slots.requireTime(until: context.deadline)
        for _ in 0..<Self.checksMax {
            if let noted = try await check(attempt) { return try answer(noted) }
        }
        throw ServiceError(.unavailable, detail: "the account changed during every check")
    }

    /// - Returns: nil when the account changed during the check.
    private func check(_ attempt: SignInAttempt) async throws -> Noted? {
        let lookUpKey = attempt.lookUpKey
        let holder = try await parts.store.read { try $0.passwordHolder(ofAddress: lookUpKey) }
        let check = PasswordCheck(parts: parts)
        let isRight = try await check.isRight(attempt.password, of: holder)
        if let code = SignInRule.refusal(of: holder?.row.status, isPasswordRight: isRight) {
            throw try await attempt.refused(code, holder, parts)
        }
        guard let holder else { throw ServiceError(.invalidCredential) }
        let upgrade = try await check.upgrade(attempt.password, of: holder)
        do {
            return try await note(attempt, holder, upgrade)
        } catch let error as ServiceError where error.code != .idempotencyKeyReused {
            throw error.afterComparison
        }
    }

    /// What a sign-in wrote.
    private struct Noted: Sendable {
        let row: AccountRow
        let news: SignInNews
        /// The time of its proof; for a retry, now.
        let at: Timestamp
    }

    /// Writes the sign-in. Returns nil when the password was replaced or the account was disabled
    /// while the hash ran: a sign-in with the old password must not win a race against a reset.
    private func note(
        _ attempt: SignInAttempt, _ checked: PasswordHolder, _ upgrade: [UInt8]?
    ) async throws -> Noted? {
        try await parts.store.write { transaction in
            let account = checked.row.account
            guard let holder = try transaction.passwordHolder(account), holder.row.status.isUsable,
                holder.sealedHash == checked.sealedHash
            else { return nil }
            if let first = try transaction.storedResponse(of: attempt.call) {
                return Noted(row: holder.row, news: first.news, at: transaction.at)
            }
            if let upgrade { try transaction.upgradePassword(account, sealedHash: upgrade) }
            let news = try SignInRecorder(parts: parts).note(
                account, before: holder.row.lastSignInAt, by: "password", on: attempt.device,
                from: attempt.origin, transaction)
            try transaction.audit(
                AuditEvent(.signInSucceeded, account: account.key, subject: attempt.subject)
                    .from(attempt.origin))
            try transaction.remember(attempt.call, StoredResponse(account: account, news: news))
            return Noted(row: holder.row, news: news, at: transaction.at)
        }
    }

    private func answer(_ noted: Noted) throws -> IdentityV1.VerifyPasswordResponse {
        IdentityV1.VerifyPasswordResponse(
            account: try AccountReader(parts: parts)
                .message(noted.row, lastSignInAt: noted.news.before),
            proof: ProofIssuer(parts: parts).proof(noted.row.account, provedAt: noted.at),
            news: noted.news.message)
    }
}
