import Addresses
import Contracts
import Cryptography
import Messages
import RPC
import ServiceRuntime
import Storage

/// Registers under `enumeration: strict` (G-02, X-02): for every address the response is a guest
/// account with a claim on the address, and one mail is sent. The claim holds the address and the
/// password until it is confirmed (`ClaimConfirmation`). Only then does the account own them.
///
///     the address is    rows written                      mail                  who can confirm it
///     free              guest, claim, mail, audit         the link              who reads the mail
///     claimed           the same                          the link              first to confirm
///     owned             the same; the link is not sent    you have an account   no one
///
/// Attack: an attacker signs up with a list of addresses and compares bytes, times, and what each
/// guest can see afterwards. All are alike: the same hash, the same rows, the same responses to a
/// repeated call, and a superseded claim looks like a pending one.
struct StrictRegistration: AccountWriting, Sendable {
    let settings: IdentitySettings
    let store: Store
    let writer: AccountWriter
    let passwords: PasswordCheck
    let time: any Time
    let answers: AccountAnswers

    /// - Parameters:
    ///   - age: What the applicant's age means. The account that the claim becomes keeps it.
    ///   - guest: The calling guest, who keeps the account; nil for a caller without a session.
    /// - Throws: `auth/idempotency-key-reused`, `rpc/resource-exhausted`; for a guest
    ///   `auth/session-ended`, `auth/already-signed-in`; for a repeated call also
    ///   `auth/user-disabled`.
    func run(
        _ applicant: Applicant, _ age: AgeRule.Outcome, as guest: GuestSession?
    ) async throws -> IdentityV1.RegisterResponse {
        let hash = try await passwords.hash(applicant.password)
        let draft = try Draft(
            applicant, hash: hash, as: guest?.row, settings, writer, at: time.now())
        switch try await write(applicant, draft, age, guest) {
        case .claimed(let row, let moment):
            return try await answer(
                SignInAdmission.unjudged(row, .signUp, by: .password), applicant,
                provedAt: moment)
        case .done(let first): return try await answerAgain(first, applicant)
        }
    }

    private enum Outcome: Sendable {
        case claimed(AccountRow, at: Timestamp)
        /// A repeat of a call that has succeeded.
        case done(IdentityV1.StoredResponse)
    }

    private func write(
        _ applicant: Applicant, _ draft: Draft, _ age: AgeRule.Outcome, _ guest: GuestSession?
    ) async throws -> Outcome {
        try await store.write(about: [.account(draft.claim.account)]) { transaction in
            if let first = try transaction.storedResponse(of: applicant.repeatable) {
                return .done(first)
            }
            if let guest { try transaction.requireLive(guest.owner) }
            if let account = draft.account {
                try transaction.insert(account)
            } else {
                try keep(draft.claim.account, applicant, transaction)
            }
            try transaction.give(
                applicant.acceptance, settings.consent, to: draft.claim.account,
                from: applicant.origin)
            try applicant.ageGate(settings, writer).admit(draft.claim.account, age, transaction)
            try transaction.insert(draft.claim)
            try transaction.setVerificationSent(of: draft.claim.account)
            // Whether the mail is withheld must not depend on who owns the address.
            if !applicant.isMailWithheld,
                try transaction.maySend(.signUp, to: draft.claim.addressKey)
            {
                try ClaimMail(settings: settings, writer: writer, transaction: transaction)
                    .write(draft.claim, token: draft.token)
            }
            try audit(applicant, draft, transaction)
            guard let row = try transaction.account(draft.claim.account), row.isGuest else {
                throw ServiceError(.internalError, detail: "a new guest is incomplete")
            }
            try transaction.remember(
                applicant.repeatable, .init(repeatedByPasswordOf: row, wasGuest: guest != nil))
            return .claimed(
                row, at: transaction.at + (guest == nil ? .zero : ProofIssuer.afterEnd))
        }
    }

    /// The calling guest gets a name if it had none, and continues with the session that this
    /// sign-up opens. Its other sessions, the link of a parent who was asked before
    /// (`Transaction.unaskParent`) and a deletion that waits end. Attacks: as in `GuestUpgrade` and
    /// `Transaction.endGuest`.
    private func keep(
        _ guest: AccountID, _ applicant: Applicant, _ transaction: Transaction
    ) throws {
        guard let row = try transaction.account(guest), row.isGuest else {
            throw ServiceError(.alreadySignedIn)
        }
        let vault = try reader.vault(row)
        if try vault.open(row.sealedDisplayName, .displayName).isEmpty {
            try transaction.fillProfile(
                guest, sealedDisplayName: try vault.seal(applicant.displayName, .displayName),
                isNameTyped: !applicant.displayName.isEmpty, sealedPhotoURL: nil)
        }
        try transaction.unaskParent(of: guest, until: transaction.at + AgeGate.parentLife)
        try transaction.endSessions(
            of: guest, provedUntil: transaction.at, reason: .signedOut, outbox)
        try writer.deletions.cancel(of: guest, from: applicant.origin, transaction)
    }

    private func audit(
        _ applicant: Applicant, _ draft: Draft, _ transaction: Transaction
    ) throws {
        let kinds: [AuditKind] =
            draft.account == nil ? [.addressClaimed] : [.accountRegistered, .addressClaimed]
        for kind in kinds {
            try transaction.audit(
                AuditEvent(kind, account: draft.claim.account.key, subject: applicant.subject)
                    .from(applicant.origin))
        }
    }

    private func answer(
        _ admitted: AdmittedSignIn, _ applicant: Applicant, provedAt moment: Timestamp
    ) async throws -> IdentityV1.RegisterResponse {
        let row = admitted.row
        let answer = try await answers.answer(
            row, lastSignInAt: nil,
            pendingEmail: row.address == nil ? applicant.address.entered : "")
        return IdentityV1.RegisterResponse(
            account: answer.account,
            proof: settings.emailVerification == .required && row.isGuest
                ? nil
                : try proofs.signIn(admitted, provedAt: moment),
            requiredActions: answer.requiredActions)
    }

    /// Answers a repeated call (G-25) if it has the same password: the claim's, or the account's
    /// once the claim is confirmed.
    /// - Throws: `auth/idempotency-key-reused`, `auth/user-disabled`.
    func answerAgain(
        _ first: IdentityV1.StoredResponse, _ applicant: Applicant
    ) async throws -> IdentityV1.RegisterResponse {
        let moment = time.now() + (first.wasGuest ? ProofIssuer.afterEnd : .zero)
        let account = try AccountID(stored: first.account)
        let (holder, claim) = try await store.read { session in
            (
                try session.passwordHolder(account),
                try session.claim(of: account, at: moment)
            )
        }
        guard let row = holder?.row else { throw ServiceError(.idempotencyKeyReused) }
        try await passwords.require(of: account, repeating: applicant.repeatable) {
            try await isRight(applicant.password, holder, claim)
        }
        guard row.status.isUsable else { throw ServiceError(.accountDisabled) }
        let admission = SignInAdmission(settings: settings, writer: writer)
        let admitted = try await store.read {
            try admission.admitAgain(row, .password, in: $0, at: moment)
        }
        return try await answer(admitted, applicant, provedAt: moment)
    }

    private func isRight(
        _ password: Password, _ holder: PasswordHolder?, _ claim: Claim?
    ) async throws -> Bool {
        guard let holder, let claim else {
            return try await passwords.isRight(password, of: holder)
        }
        return try await passwords.isRight(password, of: claim, holder.row)
    }
}

extension StrictRegistration {
    /// Everything that a sign-up under `enumeration: strict` writes, prepared before the
    /// transaction: the rows of a new guest, unless the caller is a guest already, and the claim
    /// with its link.
    struct Draft: Sendable {
        /// The rows of a new guest; nil if the caller is a guest.
        let account: NewAccount?
        let claim: Claim
        let token: LinkToken

        /// A draft for an applicant whose password's hash is `hash`.
        /// - Parameter guest: The calling guest, who keeps the account; nil for a caller without a
        ///   session.
        init(
            _ applicant: Applicant, hash: String, as guest: AccountRow?,
            _ settings: IdentitySettings, _ writer: AccountWriter, at moment: Timestamp
        ) throws {
            let id = guest?.account ?? AccountID.drawn(from: writer.randomness)
            let vault = try guest.map { try writer.reader.vault($0) } ?? writer.newVault(of: id)
            account =
                guest == nil
                ? NewAccount(
                    account: id, sealedKey: vault.sealedKey,
                    sealedDisplayName: try vault.seal(applicant.displayName, .displayName),
                    isNameTyped: !applicant.displayName.isEmpty,
                    language: applicant.language, isGuest: true) : nil
            token = LinkToken.drawn(from: writer.randomness)
            claim = Claim(
                account: id, tokenHash: token.hash(.verifyEmail, writer.keys.links),
                addressKey: applicant.lookUpKey,
                sealedAddress: try vault.seal(applicant.address.entered, .claimedAddress),
                sealedPasswordHash: try vault.seal(hash, .claimedPasswordHash),
                expiresAt: moment + settings.verificationLife)
        }
    }
}

extension PasswordCheck {
    /// Whether `password` is the one that the claim was made with.
    func isRight(_ password: Password, of claim: Claim, _ row: AccountRow) async throws -> Bool {
        try requireOn()
        let stored = try reader.vault(row).open(claim.sealedPasswordHash, .claimedPasswordHash)
        return try await passwords.verify(password: password.bytes, against: stored)
    }
}
