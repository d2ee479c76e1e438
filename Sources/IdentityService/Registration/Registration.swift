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
/// the owner gets a mail instead (design.md, Sign-up on a taken address: friendly).
struct Registration: Sendable {
    let parts: IdentityParts

    /// - Throws: `auth/email-already-in-use`, `auth/idempotency-key-reused`, and as `Applicant`.
    func run(
        _ request: IdentityV1.RegisterRequest, _ context: CallContext
    ) async throws -> IdentityV1.RegisterResponse {
        let applicant = try Applicant(request, context, parts.keys, parts.settings)
        let hash = try await parts.passwords.hash(password: applicant.password.bytes)
        let draft = try RegistrationDraft(applicant, hash: hash, parts, at: parts.time.now())
        switch try await write(applicant, draft) {
        case .registered(let row, let moment): return try answer(row, provedAt: moment)
        case .done(let account): return try await answerAgain(account, applicant)
        case .taken: throw ServiceError(.emailAlreadyInUse, fields: ["email"])
        }
    }

    /// What became of it.
    private enum Outcome: Sendable {
        case registered(AccountRow, at: Timestamp)
        /// This call was done before, for this account.
        case done(AccountID)
        case taken
    }

    private func write(
        _ applicant: Applicant, _ draft: RegistrationDraft
    ) async throws -> Outcome {
        do {
            return try await parts.store.write { transaction in
                if let first = try transaction.firstAnswer(of: applicant.call) {
                    return .done(try AccountID(stored: first.account))
                }
                if let owner = try transaction.owner(ofAddress: applicant.lookUpKey) {
                    try tell(owner, applicant, draft, transaction)
                    return .taken
                }
                return .registered(
                    try register(applicant, draft, transaction), at: transaction.at)
            }
        } catch let error as SQLError where error.kind == .constraint(.unique) {
            // An engine with several writers can let another registration in between look and
            // write; its index has the last word.
            return .taken
        }
    }

    private func register(
        _ applicant: Applicant, _ draft: RegistrationDraft, _ transaction: Transaction
    ) throws -> AccountRow {
        let account = draft.account.account
        try transaction.insert(draft.account)
        _ = try SignInNoting(parts: parts).remember(applicant.device, of: account, transaction)
        try transaction.insert(draft.link)
        try transaction.enqueue(draft.verificationMail)
        try transaction.audit(
            AuditEvent(.accountRegistered, account: account.key, subject: applicant.subject)
                .from(applicant.origin))
        try transaction.remember(applicant.call, FirstAnswer(account: account.key))
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
        guard let row = try transaction.account(owner), row.status.isUsable,
            let sealed = row.address?.sealed
        else { return }
        let stored = try AccountReading(parts: parts).vault(row).open(sealed, .address)
        guard let address = EmailAddress(stored) else { return }
        // Mail goes to the stored address, never to the one that was typed.
        try transaction.enqueue(
            IdentityOutbox(parts: parts).email(
                .emailAlreadyRegistered, of: owner, to: address.mailbox, language: row.language,
                expiresAt: nil, key: draft.ownerMailKey))
    }

    private func answer(
        _ row: AccountRow, provedAt moment: Timestamp
    ) throws -> IdentityV1.RegisterResponse {
        IdentityV1.RegisterResponse(
            account: try AccountReading(parts: parts).message(row, lastSignInAt: nil),
            proof: ProofMaking(parts: parts).proof(row.account, provedAt: moment))
    }

    /// Answers a repeat (G-25). The password is checked first: a captured key alone must open
    /// nothing. Another password is another request.
    private func answerAgain(
        _ account: AccountID, _ applicant: Applicant
    ) async throws -> IdentityV1.RegisterResponse {
        // Proved as of now, not of after the hash: if the password is replaced meanwhile, session
        // refuses this proof with all others from before.
        let moment = parts.time.now()
        let holder = try await parts.store.read { try $0.passwordHolder(account) }
        let isRight = try await PasswordCheck(parts: parts).isRight(
            applicant.password, of: holder)
        guard let holder, isRight else { throw ServiceError(.idempotencyKeyReused) }
        guard holder.row.status.isUsable else { throw ServiceError(.accountDisabled) }
        return try answer(holder.row, provedAt: moment)
    }
}
