import CallRecords
import Cryptography
import EmailAddresses
import Messages
import RPC
import ServiceRuntime
import Storage

/// Makes an account's new address its own, by the link that went there (G-12): reads, decides by
/// `ConfirmationRule`, counts and checks a password where one is needed, writes.
///
/// Attack: somebody asks for a change to your address and hopes that you open the link. Elsewhere
/// than in their session it asks for their password, so that your click gives them nothing; else an
/// account of theirs would own your address, and your first sign-in by a provider would be led into
/// it.
///
/// Sessions go on, as the person who reads the new address's mail is the one who is signed in; the
/// old address is told, and whatever was mailed to it is void.
struct EmailChangeConfirmation: Sendable {
    let parts: IdentityParts
    let owners: SessionOwners

    /// Checks of one attempt: where the account changes under one, it is checked anew.
    private static let checksMax = 3

    /// - Throws: `auth/invalid-link`, `auth/password-needed`, `auth/invalid-credential`,
    ///   `auth/email-already-in-use` where the address has become another account's: to who reads
    ///   its mail that tells nothing new; `auth/user-disabled`, `auth/session-ended`.
    func run(
        _ request: IdentityV1.ConfirmEmailChangeRequest, _ context: CallContext
    ) async throws -> IdentityV1.ConfirmEmailChangeResponse {
        let owner = try await owners.ownerIfLive(request.accessToken, context)
        let attempt = try EmailChangeAttempt(request, from: owner, context, parts.keys)
        for _ in 0..<Self.checksMax {
            guard let (change, holder) = try await find(attempt) else {
                return try await answerAgain(attempt)
            }
            guard holder.row.status.isUsable else { throw ServiceError(.accountDisabled) }
            try await decide(attempt, change, holder)
            if let row = try await write(attempt, change, holder) { return try answer(row) }
        }
        throw ServiceError(.unavailable, detail: "the account changed under each check")
    }

    private func find(
        _ attempt: EmailChangeAttempt
    ) async throws -> (PendingEmailChange, PasswordHolder)? {
        let now = parts.time.now()
        return try await parts.store.read { session in
            guard let change = try session.emailChange(tokenHash: attempt.tokenHash, at: now),
                let holder = try session.passwordHolder(change.account)
            else { return nil }
            return (change, holder)
        }
    }

    private func decide(
        _ attempt: EmailChangeAttempt, _ change: PendingEmailChange, _ holder: PasswordHolder
    ) async throws {
        let rule = ConfirmationRule(
            owner: change.account, asking: attempt.asking,
            hasPassword: !attempt.password.isEmpty)
        try await LinkProof(parts: parts).require(
            rule, attempt.password, of: change.account, from: attempt.origin,
            counted: { try $0.countGuess(at: change) },
            isRight: { try await PasswordCheck(parts: parts).isRight($0, of: holder) })
    }

    /// - Returns: nil where the change is void, or the account another one, since the check.
    private func write(
        _ attempt: EmailChangeAttempt, _ change: PendingEmailChange, _ checked: PasswordHolder
    ) async throws -> AccountRow? {
        do {
            return try await parts.store.write { transaction in
                guard try transaction.storedResponse(of: attempt.call) == nil,
                    try transaction.emailChange(
                        tokenHash: attempt.tokenHash, at: transaction.at) == change,
                    let holder = try transaction.passwordHolder(change.account),
                    holder.sealedHash == checked.sealedHash, holder.row.status.isUsable
                else { return nil }
                // In its own session no password was asked for, so that must not have ended since.
                if let owner = attempt.owner, owner.account == change.account {
                    try transaction.requireLive(owner)
                }
                guard try transaction.owner(ofAddress: change.addressKey) == nil else {
                    throw ServiceError(.emailAlreadyInUse)
                }
                try self.change(holder.row, by: change, attempt, transaction)
                try transaction.remember(
                    attempt.call, StoredResponse(account: change.account.key))
                guard let row = try transaction.account(change.account),
                    row.address?.lookUpKey == change.addressKey, row.address?.provedAt != nil
                else { throw ServiceError(.internalError, detail: "a new address is not there") }
                return row
            }
        } catch let error as SQLError where error.kind == .constraint(.unique) {
            // Another writer got in between; the index has the last word.
            throw ServiceError(.emailAlreadyInUse)
        }
    }

    private func change(
        _ row: AccountRow, by change: PendingEmailChange, _ attempt: EmailChangeAttempt,
        _ transaction: Transaction
    ) throws {
        let vault = try AccountReader(parts: parts).vault(row)
        let entered = try vault.open(change.sealedAddress, .newAddress)
        guard let address = EmailAddress(entered) else {
            throw ServiceError(.internalError, detail: "a new address is none")
        }
        try transaction.replaceAddress(
            row.account, lookUpKey: change.addressKey, sealed: try vault.seal(entered, .address))
        // Whatever was mailed to the old address opens nothing any more.
        try transaction.removeLinks(of: row.account)
        try transaction.cancelPendingChanges(of: row.account)
        try transaction.audit(
            AuditEvent(
                .emailChanged, account: row.account.key, subject: parts.keys.subject(of: address)
            ).from(attempt.origin))
        try EmailChangeMails(parts: parts, transaction: transaction).changed(to: address, of: row)
    }

    /// The change is gone, but this may be a repeat of the call that made it (G-25).
    private func answerAgain(
        _ attempt: EmailChangeAttempt
    ) async throws -> IdentityV1.ConfirmEmailChangeResponse {
        let (_, holder) = try await RepeatedConfirmation(parts: parts).find(
            attempt.call, asking: attempt.asking, password: attempt.password)
        return try answer(holder.row)
    }

    private func answer(_ row: AccountRow) throws -> IdentityV1.ConfirmEmailChangeResponse {
        IdentityV1.ConfirmEmailChangeResponse(
            account: try AccountReader(parts: parts).message(row))
    }
}
