import Addresses
import Cryptography
import Messages
import ServiceRuntime
import Storage

/// Confirms a claim by the link that was mailed to its address (G-12). The address and the password
/// become the account's, the account is no longer a guest, and all other claims on the address are
/// superseded.
///
///     opened in               password       outcome
///     its own session         any            confirmed
///     elsewhere               none           auth/password-needed; the link stays valid
///     elsewhere               the claim's    confirmed
///     elsewhere               another        auth/invalid-credential; void after five attempts
///     the address is owned, or the account
///     is no longer a guest    any            auth/invalid-link
///
/// So only a person who reads the mail and made the claim can confirm it. Attacks:
/// - An attacker claims a victim's address with the attacker's password, and the victim opens the
///   link in a browser without a session. It asks for a password that the victim does not know, and
///   the attacker gets nothing.
/// - A user claims a mistyped address, and the owner of that address opens the link. The owner does
///   not get the user's account.
///
/// The real owner of an address can sign up at any time; the owner's claim is separate. The
/// confirmation differs from the friendly one (`ConfirmationRule`), where another password replaces
/// the first: there the account owns the address already, here it does not yet.
struct ClaimConfirmation: AccountWriting, Sendable {
    let store: Store
    let writer: AccountWriter
    let passwords: PasswordCheck
    let time: any Time
    let answers: AccountAnswers

    /// - Returns: the account, which now owns the address; nil if the link belongs to no claim, or
    ///   was used in the meantime.
    /// - Throws: `auth/password-needed`, `auth/invalid-credential`, `auth/invalid-link` as in the
    ///   table; `auth/user-disabled`; `auth/operation-not-allowed` where passwords are switched off.
    func run(_ attempt: ConfirmationAttempt) async throws -> AccountRow? {
        guard let (claim, row) = try await find(attempt) else { return nil }
        // Claimed before passwords were switched off: the guest would end as an account that nothing
        // opens.
        try passwords.requireOn()
        guard row.status.isUsable else { throw ServiceError(.accountDisabled) }
        try await decide(attempt, claim, row)
        return try await write(attempt, claim)
    }

    private func find(_ attempt: ConfirmationAttempt) async throws -> (Claim, AccountRow)? {
        let now = time.now()
        return try await store.read { session in
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
            owner: claim.account, callersAccount: attempt.callersAccount,
            hasPassword: !attempt.password.isEmpty)
        try await LinkProof(store: store).require(
            rule, attempt.password, of: claim.account, from: attempt.origin,
            counted: { try $0.countGuess(at: claim) },
            isRight: { try await passwords.isRight($0, of: claim, row) })
    }

    /// - Returns: nil if the claim is superseded or gone, or its account is not a guest.
    private func write(
        _ attempt: ConfirmationAttempt, _ checked: Claim
    ) async throws -> AccountRow? {
        do {
            // A password may have been compared.
            return try await store.write(about: [.account(checked.account)], evenIfCancelled: true)
            { transaction in
                guard try transaction.storedResponse(of: attempt.repeatable) == nil,
                    let claim = try transaction.claim(
                        tokenHash: attempt.tokenHash, at: transaction.at), claim == checked,
                    let row = try transaction.account(claim.account), row.status.isUsable,
                    row.isGuest, row.address == nil,
                    try transaction.owner(ofAddress: claim.addressKey) == nil
                else { return nil }
                try prove(claim, of: row, attempt, transaction)
                guard let holder = try transaction.passwordHolder(row.account),
                    holder.row.address?.provedAt != nil, holder.sealedHash != nil,
                    !holder.row.isGuest
                else { throw ServiceError(.internalError, detail: "a confirmed claim is missing") }
                try ProfileCompletion(answers: answers).record(
                    holder.row, on: attempt.device, from: attempt.origin, transaction)
                try transaction.remember(
                    attempt.repeatable,
                    .init(repeatedByPasswordOf: holder.row, forgetsDevices: true))
                return holder.row
            }
        } catch let error as SQLError where error.kind == .constraint(.unique) {
            // A concurrent transaction took the address; the unique index decides.
            return nil
        }
    }

    private func prove(
        _ claim: Claim, of row: AccountRow, _ attempt: ConfirmationAttempt,
        _ transaction: Transaction
    ) throws {
        let account = row.account
        let vault = try reader.vault(row)
        let entered = try vault.open(claim.sealedAddress, .claimedAddress)
        let hash = try vault.open(claim.sealedPasswordHash, .claimedPasswordHash)
        try transaction.insert(
            NewAddress(
                lookUpKey: claim.addressKey, sealed: try vault.seal(entered, .address),
                isProved: true), of: account)
        try transaction.setPassword(account, sealedHash: try vault.seal(hash, .passwordHash))
        try transaction.cancelPendingChanges(of: account)
        // Its sessions continue: the sign-up ended the earlier ones (`StrictRegistration`).
        guard try transaction.endGuest(account, from: attempt.origin, writer) else {
            throw ServiceError(.internalError, detail: "a claim's account is not a guest")
        }
        try transaction.audit(.emailVerified, account, from: attempt.origin)
        try transaction.audit(
            .passwordReplaced, account, detail: .password(.change), from: attempt.origin)
        try transaction.audit(.guestUpgraded, account, from: attempt.origin)
        try notices.welcome(
            row, at: .verification, as: answers.settings.welcomeMail, attempt.device, transaction)
    }
}
