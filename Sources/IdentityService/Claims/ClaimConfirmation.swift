import CallRecords
import Cryptography
import EmailAddresses
import Messages
import ServiceRuntime
import Storage

/// Proves a claim by the link that went to its address (G-12): the address and the password become
/// the account's, which is no guest any more, and all other claims on the address have lost.
///
///     opened in               password       outcome
///     its own session         any            proves
///     elsewhere               none           auth/password-needed; the link stays good
///     elsewhere               the claim's    proves
///     elsewhere               another        auth/invalid-credential; after five the link is void
///     the address is owned, or the account
///     is no guest any more    any            auth/invalid-link
///
/// So a claim is proved only by who reads the mail and made the claim. Attacks: a stranger claims
/// my address with his password, and I open the link in a browser without a session: I am asked for
/// a password that I do not know, and nothing is his. I claim a mistyped address, and its owner
/// opens the link: mine is not given to him. The owner of an address signs up by herself; her claim
/// is hers. Here a confirmation differs from the friendly one (`ConfirmationRule`), where another
/// password replaces the first: there the account already stands on the address, here it only
/// would.
struct ClaimConfirmation: Sendable {
    let parts: IdentityParts

    /// - Returns: the account, which has the address now; nil where the link is no claim's, or has
    ///   been used meanwhile.
    /// - Throws: as in the table; `auth/user-disabled`.
    func run(_ attempt: ConfirmationAttempt) async throws -> AccountRow? {
        guard let (claim, row) = try await find(attempt) else { return nil }
        guard row.status.isUsable else { throw ServiceError(.accountDisabled) }
        try await decide(attempt, claim, row)
        return try await write(attempt, claim)
    }

    private func find(_ attempt: ConfirmationAttempt) async throws -> (Claim, AccountRow)? {
        let now = parts.time.now()
        return try await parts.store.read { session in
            guard let claim = try session.claim(tokenHash: attempt.tokenHash, at: now),
                let row = try session.account(claim.account)
            else { return nil }
            return (claim, row)
        }
    }

    private func decide(
        _ attempt: ConfirmationAttempt, _ claim: Claim, _ row: AccountRow
    ) async throws {
        let rule = ConfirmationRule(
            owner: claim.account, asking: attempt.asking, hasPassword: !attempt.password.isEmpty)
        try await LinkProof(parts: parts).require(
            rule, attempt.password, of: claim.account, from: attempt.origin,
            counted: { try $0.countGuess(at: claim) },
            isRight: { try await PasswordCheck(parts: parts).isRight($0, of: claim, row) })
    }

    /// - Returns: nil where the claim has lost or gone, or its account is no guest.
    private func write(
        _ attempt: ConfirmationAttempt, _ checked: Claim
    ) async throws -> AccountRow? {
        try await parts.store.write { transaction in
            guard try transaction.storedResponse(of: attempt.call) == nil,
                let claim = try transaction.claim(
                    tokenHash: attempt.tokenHash, at: transaction.at), claim == checked,
                let row = try transaction.account(claim.account), row.status.isUsable,
                row.isGuest, row.address == nil,
                try transaction.owner(ofAddress: claim.addressKey) == nil
            else { return nil }
            try prove(claim, of: row, attempt, transaction)
            try transaction.remember(attempt.call, StoredResponse(account: row.account.key))
            guard let holder = try transaction.passwordHolder(row.account),
                holder.row.address?.provedAt != nil, holder.sealedHash != nil,
                !holder.row.isGuest
            else { throw ServiceError(.internalError, detail: "a proved claim is not there") }
            return holder.row
        }
    }

    private func prove(
        _ claim: Claim, of row: AccountRow, _ attempt: ConfirmationAttempt,
        _ transaction: Transaction
    ) throws {
        let account = row.account
        let vault = try AccountReader(parts: parts).vault(row)
        let entered = try vault.open(claim.sealedAddress, .claimedAddress)
        let hash = try vault.open(claim.sealedPasswordHash, .claimedPasswordHash)
        try transaction.insert(
            NewAddress(
                lookUpKey: claim.addressKey, sealed: try vault.seal(entered, .address),
                isProved: true), of: account)
        try transaction.setPassword(account, sealedHash: try vault.seal(hash, .passwordHash))
        try transaction.cancelPendingChanges(of: account)
        // Its sessions stay: the sign-up ended those before it (`StrictRegistration`).
        guard try transaction.endGuest(account) else {
            throw ServiceError(.internalError, detail: "a claim's guest is none")
        }
        for kind in [AuditKind.emailVerified, .passwordReplaced, .guestUpgraded] {
            try transaction.audit(
                AuditEvent(kind, account: account.key).from(attempt.origin))
        }
    }
}
