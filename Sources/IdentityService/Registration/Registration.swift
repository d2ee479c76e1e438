import Addresses
import Cryptography
import Messages
import RPC
import ServiceRuntime
import Storage

/// Registers an account with a password (G-02, I-04): reads the request, hashes, writes, responds.
///
/// One transaction writes the account, key, profile, address, password, link, mail, audit event and
/// stored response: all of them or none. The account is read back before the response.
///
/// A taken address costs the same hash and the same commit. The entered data is then discarded, and
/// the owner gets a mail (Sources/SECURITY.md, Enumeration: `friendly`).
///
/// A guest that calls becomes the account, with its id and its data (`GuestUpgrade`, G-07).
struct Registration: Sendable {
    let parts: IdentityParts
    let owners: SessionOwners

    /// - Throws: `auth/email-already-in-use`, `auth/idempotency-key-reused`, and as `Applicant`;
    ///   `auth/user-disabled` when a retry finds its account suspended; with a guest's access token
    ///   `auth/already-signed-in`, `auth/session-ended`, and as `SessionOwners.owner`.
    func run(
        _ request: IdentityV1.RegisterRequest, _ context: CallContext
    ) async throws -> IdentityV1.RegisterResponse {
        let applicant = try Applicant(request, context, parts.keys, parts.settings)
        let guest: GuestSession?
        do {
            guest = try await owners.guest(of: request.guestAccessToken, context)
        } catch let refused as ServiceError {
            // An upgrade ends the guest's session, so a retry arrives with a token that is no
            // longer valid.
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

    /// The outcome of the transaction.
    private enum Outcome: Sendable {
        case registered(AccountRow, at: Timestamp)
        /// An earlier identical call was committed.
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
            // On a storage engine with several writers, another registration can commit between the
            // lookup and the write. The unique index then rejects this one.
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
        // `passwordHolder` joins account, key and profile, so a result is complete (I-04).
        guard let holder = try transaction.passwordHolder(account),
            holder.row.address?.lookUpKey == applicant.lookUpKey, holder.sealedHash != nil
        else { throw ServiceError(.internalError, detail: "a new account is incomplete") }
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
        // The mail goes to the stored address, never to the entered one.
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

    /// Responds to a retry (G-25). The password is checked first, because a captured idempotency
    /// key alone must give no access. A different password makes it a different request.
    private func answerAgain(
        _ first: StoredResponse, _ applicant: Applicant
    ) async throws -> IdentityV1.RegisterResponse {
        // The proof's time is taken before the hash. If the password is replaced while the hash
        // runs, the session service rejects this proof with all older ones. After a guest's upgrade
        // the time is set past the end of its sessions, which may lie in this millisecond.
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
