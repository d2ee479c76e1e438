import CallRecords
import Cryptography
import EmailAddresses
import Messages
import RPC
import ServiceRuntime
import Storage

/// Registers an account with a password (G-02, I-04): reads the request, hashes, writes, answers.
///
/// One transaction holds account, key, profile, address, password, link, mail, audit event and the
/// memory of the call: all of it or none. It is read back before anything is answered.
///
/// A taken address costs the same hash and the same commit. Nothing that was typed is kept then;
/// the owner gets a mail instead (Sources/SECURITY.md, Enumeration: `friendly`).
///
/// A guest that asks becomes the account, with its id and all it has (`GuestUpgrade`, G-07).
struct Registration: Sendable {
    let parts: IdentityParts
    let owners: SessionOwners

    /// - Throws: `auth/email-already-in-use`, `auth/idempotency-key-reused`, and as `Applicant`;
    ///   with a guest's access token `auth/already-signed-in`, `auth/session-ended`, and as
    ///   `SessionOwners.owner`.
    func run(
        _ request: IdentityV1.RegisterRequest, _ context: CallContext
    ) async throws -> IdentityV1.RegisterResponse {
        let applicant = try Applicant(request, context, parts.keys, parts.settings)
        let guest: GuestSession?
        do {
            guest = try await owners.guest(of: request.guestAccessToken, context)
        } catch let refused as ServiceError {
            // The session of a guest is over once it was upgraded, so a repeat cannot show it again.
            guard
                let first = try await parts.store.write({
                    try $0.storedResponse(of: applicant.call)
                })
            else { throw refused }
            return try await parts.settings.enumeration == .strict
                ? StrictRegistration(parts: parts).answerAgain(first, applicant)
                : answerAgain(first, applicant)
        }
        if parts.settings.enumeration == .strict {
            return try await StrictRegistration(parts: parts).run(applicant, as: guest)
        }
        let hash = try await parts.passwords.hash(password: applicant.password.bytes)
        let draft = try RegistrationDraft(
            applicant, hash: hash, as: guest?.row, parts, at: parts.time.now())
        switch try await write(applicant, draft, guest) {
        case .registered(let row, let moment): return try answer(row, provedAt: moment)
        case .done(let first): return try await answerAgain(first, applicant)
        case .taken: throw ServiceError(.emailAlreadyInUse, fields: ["email"])
        }
    }

    /// What became of it.
    private enum Outcome: Sendable {
        case registered(AccountRow, at: Timestamp)
        /// This call was done before.
        case done(StoredResponse)
        case taken
    }

    private func write(
        _ applicant: Applicant, _ draft: RegistrationDraft, _ guest: GuestSession?
    ) async throws -> Outcome {
        do {
            return try await parts.store.write { transaction in
                if let first = try transaction.storedResponse(of: applicant.call) {
                    return .done(first)
                }
                if let guest { try transaction.requireLive(guest.owner) }
                if let owner = try transaction.owner(ofAddress: applicant.lookUpKey) {
                    try tell(owner, applicant, draft, transaction)
                    return .taken
                }
                return .registered(
                    try register(applicant, draft, guest?.row, transaction),
                    at: transaction.at + (guest == nil ? .zero : ProofIssuer.afterEnd))
            }
        } catch let error as SQLError where error.kind == .constraint(.unique) {
            // An engine with several writers can let another registration in between look and
            // write; its index has the last word.
            return .taken
        }
    }

    private func register(
        _ applicant: Applicant, _ draft: RegistrationDraft, _ guest: AccountRow?,
        _ transaction: Transaction
    ) throws -> AccountRow {
        let account = draft.account.account
        if let guest {
            try GuestUpgrade(parts: parts, transaction: transaction)
                .run(guest, into: draft.account, origin: applicant.origin)
        } else {
            try transaction.insert(draft.account)
        }
        _ = try SignInRecorder(parts: parts).remember(applicant.device, of: account, transaction)
        try transaction.insert(draft.link)
        try transaction.enqueue(draft.verificationMail)
        try transaction.audit(
            AuditEvent(.accountRegistered, account: account.key, subject: applicant.subject)
                .from(applicant.origin))
        try transaction.remember(
            applicant.call, StoredResponse(account: account.key, figure: guest == nil ? 0 : 1))
        // `passwordHolder` joins account, key and profile: what it finds is whole (I-04).
        guard let holder = try transaction.passwordHolder(account),
            holder.row.address?.lookUpKey == applicant.lookUpKey, holder.sealedHash != nil
        else { throw ServiceError(.internalError, detail: "a new account is not whole") }
        return holder.row
    }

    private func tell(
        _ owner: AccountID, _ applicant: Applicant, _ draft: RegistrationDraft,
        _ transaction: Transaction
    ) throws {
        try transaction.audit(
            AuditEvent(
                .signUpRefused, account: owner.key, subject: applicant.subject,
                outcome: .emailAlreadyInUse
            ).from(applicant.origin))
        guard !applicant.isMailWithheld,
            let row = try transaction.account(owner), row.status.isUsable,
            let sealed = row.address?.sealed
        else { return }
        let stored = try AccountReader(parts: parts).vault(row).open(sealed, .address)
        guard let address = EmailAddress(stored) else { return }
        // Mail goes to the stored address, never to the one that was typed.
        try transaction.enqueue(
            IdentityOutbox(parts: parts).email(
                AlreadyRegisteredMail(settings: parts.settings).mail(to: row), of: owner,
                to: address.mailbox, language: row.language, expiresAt: nil,
                key: draft.ownerMailKey))
    }

    private func answer(
        _ row: AccountRow, provedAt moment: Timestamp
    ) throws -> IdentityV1.RegisterResponse {
        IdentityV1.RegisterResponse(
            account: try AccountReader(parts: parts).message(row, lastSignInAt: nil),
            proof: row.status == .pendingVerification
                ? nil : ProofIssuer(parts: parts).proof(row.account, provedAt: moment))
    }

    /// Answers a repeat (G-25). The password is checked first: a captured key alone must open
    /// nothing. Another password is another request.
    private func answerAgain(
        _ first: StoredResponse, _ applicant: Applicant
    ) async throws -> IdentityV1.RegisterResponse {
        // Proved as of now, not of after the hash: if the password is replaced meanwhile, session
        // refuses this proof with all others from before. A guest's sessions have ended with the
        // first answer, perhaps in this millisecond.
        let moment = parts.time.now() + (first.figure == 1 ? ProofIssuer.afterEnd : .zero)
        let account = try AccountID(stored: first.account)
        let holder = try await parts.store.read { try $0.passwordHolder(account) }
        let isRight = try await PasswordCheck(parts: parts).isRight(
            applicant.password, of: holder)
        guard let holder, isRight else { throw ServiceError(.idempotencyKeyReused) }
        guard holder.row.status.mayVerify else { throw ServiceError(.accountDisabled) }
        return try answer(holder.row, provedAt: moment)
    }
}
