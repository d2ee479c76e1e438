import Addresses
import Contracts
import Cryptography
import Messages
import RPC
import ServiceRuntime
import Storage

extension AccountsHandler {
    /// Registers an account with a password (G-02, I-04): reads the request, hashes, writes,
    /// responds.
    ///
    /// One transaction writes the account, key, profile, address, password, link, mail, audit event
    /// and stored response: all of them or none. The account is read back before the response.
    ///
    /// A taken address costs the same hash and the same commit. The entered data is then discarded,
    /// and the owner gets a mail (Sources/SECURITY.md, Enumeration: `friendly`).
    ///
    /// A guest that calls becomes the account, with its id and its data (`GuestUpgrade`, G-07).
    ///
    /// Consent that is lacking is refused before anything is written, so that the corrected call
    /// may have the same key. So is a password that has leaked: before the address is looked up, and
    /// only after all else that is refused, so that such a call sends no part of a hash to a service.
    /// If it leaked since the first call, a repeat gets the first answer.
    func register(
        _ request: IdentityV1.RegisterRequest, _ context: CallContext
    ) async throws -> IdentityV1.RegisterResponse {
        try passwords.requireOn()
        let calling = try await owners.calling(in: context)
        let applicant = try Applicant(request, in: calling, context, keys, settings)
        let strict = StrictRegistration(
            settings: settings, store: store, writer: writer, passwords: passwords, time: time,
            answers: answers)
        let guest: GuestSession?
        let age: AgeRule.Outcome
        do {
            guest = try await calling?.guest(in: store)
            try settings.consent.require(applicant.acceptance, or: guest?.row.consents)
            age = try await self.age(of: applicant)
            try await passwords.breached?.refuse(ifLeaked: applicant.password)
        } catch let refused as ServiceError {
            // An upgrade ends the guest's session, so a retry arrives with a token that is no
            // longer valid. Or the operator has named new versions since the first call.
            guard
                let first = try await store.storedResponse(of: applicant.repeatable, at: time.now())
            else {
                if refused.code == .underageUser {
                    try await refuse(applicant, of: calling?.account)
                }
                throw refused
            }
            return try await settings.enumeration == .strict
                ? strict.answerAgain(first, applicant)
                : answerAgain(first, applicant)
        }
        if settings.enumeration == .strict {
            return try await strict.run(applicant, age, as: guest)
        }
        let hash = try await passwords.hash(applicant.password)
        let draft = try draft(applicant, hash: hash, as: guest?.row, at: time.now())
        let outcome = try await untilUnchanged {
            try await write(applicant, draft, age, guest)
        }
        switch outcome {
        case .registered(let row, let moment):
            return try await answer(
                SignInAdmission.unjudged(row, .signUp, by: .password), provedAt: moment)
        case .done(let first): return try await answerAgain(first, applicant)
        case .taken: throw ServiceError(.emailAlreadyInUse, fields: ["email"])
        }
    }

    /// What the applicant's age means (G-23). It is decided before the password is hashed.
    /// - Throws: `auth/underage-user`; as `AgeGate.outcome`.
    private func age(of applicant: Applicant) async throws -> AgeRule.Outcome {
        let gate = applicant.ageGate(settings, writer)
        guard gate.settings.gate == .required else { return .ok }
        let now = time.now()
        let outcome = try await store.read { try gate.outcome(in: $0, at: now) }
        guard outcome != .underage else { throw ServiceError(.underageUser) }
        return outcome
    }

    private func refuse(_ applicant: Applicant, of guest: AccountID?) async throws {
        let gate = applicant.ageGate(settings, writer)
        try await store.write(about: []) { try gate.refuse(guest, $0) }
    }

    /// The outcome of the transaction.
    private enum Outcome: Sendable {
        case registered(AccountRow, at: Timestamp)
        /// An earlier identical call was committed.
        case done(IdentityV1.StoredResponse)
        case taken
    }

    /// - Returns: nil if another registration with the address was committed between the look-up
    ///   and the write, as can be on a storage engine with several writers. It may be a repeat of
    ///   this call, so the next attempt looks at what it has written.
    private func write(
        _ applicant: Applicant, _ draft: RegistrationDraft, _ age: AgeRule.Outcome,
        _ guest: GuestSession?
    ) async throws -> Outcome? {
        do {
            return try await store.write(about: [.account(draft.account.account)]) { transaction in
                if let first = try transaction.storedResponse(of: applicant.repeatable) {
                    return .done(first)
                }
                if let guest { try transaction.requireLive(guest.owner) }
                if let owner = try transaction.owner(ofAddress: applicant.lookUpKey) {
                    try notifyOwner(owner, applicant, draft, transaction)
                    return .taken
                }
                return .registered(
                    try register(applicant, draft, age, guest?.row, transaction),
                    at: transaction.at + (guest == nil ? .zero : ProofIssuer.afterEnd))
            }
        } catch let error as SQLError where error.kind == .constraint(.unique) {
            return nil
        }
    }

    private func register(
        _ applicant: Applicant, _ draft: RegistrationDraft, _ age: AgeRule.Outcome,
        _ guest: AccountRow?, _ transaction: Transaction
    ) throws -> AccountRow {
        let account = draft.account.account
        if let guest {
            try GuestUpgrade(writer: writer, transaction: transaction)
                .run(guest, into: draft.account, origin: applicant.origin)
        } else {
            try transaction.insert(draft.account)
        }
        try transaction.give(
            applicant.acceptance, settings.consent, to: account, from: applicant.origin)
        try applicant.ageGate(settings, writer).admit(account, age, transaction)
        try SignInRecorder(settings: settings, writer: writer).recordSignUp(
            of: account, on: applicant.device, from: applicant.origin, transaction)
        if try transaction.maySend(.signUp, to: applicant.lookUpKey) {
            try transaction.sendFirst(draft.verification)
        }
        try transaction.audit(
            .accountRegistered, account, from: applicant.origin, subject: applicant.subject)
        // `passwordHolder` joins account, key and profile, so a result is complete (I-04).
        guard let holder = try transaction.passwordHolder(account),
            holder.row.address?.lookUpKey == applicant.lookUpKey, holder.sealedHash != nil
        else { throw ServiceError(.internalError, detail: "a new account is incomplete") }
        try ProfileCompletion(answers: answers).record(
            holder.row, on: applicant.device.shown, from: applicant.origin, transaction)
        try transaction.remember(
            applicant.repeatable, .init(repeatedByPasswordOf: holder.row, wasGuest: guest != nil))
        return holder.row
    }

    private func notifyOwner(
        _ owner: AccountID, _ applicant: Applicant, _ draft: RegistrationDraft,
        _ transaction: Transaction
    ) throws {
        try transaction.audit(
            .signUpRefused, owner, from: applicant.origin, subject: applicant.subject,
            outcome: .emailAlreadyInUse)
        guard !applicant.isMailWithheld,
            let row = try transaction.account(owner), row.status.isUsable,
            let owned = row.address, let address = try reader.address(row),
            try transaction.maySend(
                owned.provedAt == nil ? .signUp : .account, to: owned.lookUpKey)
        else { return }
        // The mail goes to the stored address, never to the entered one.
        try transaction.enqueue(
            outbox.email(
                Mail.alreadyRegistered(row, settings), of: owner, to: address.mailbox,
                language: row.language, expiresAt: nil, key: draft.ownerMailKey))
    }

    private func answer(
        _ admitted: AdmittedSignIn, provedAt moment: Timestamp
    ) async throws -> IdentityV1.RegisterResponse {
        let answer = try await answers.answer(admitted.row, lastSignInAt: nil)
        return IdentityV1.RegisterResponse(
            account: answer.account,
            proof: admitted.row.status == .pendingVerification
                ? nil
                : try proofs.signIn(admitted, provedAt: moment),
            requiredActions: answer.requiredActions)
    }

    /// Responds to a retry (G-25). The password is checked first, because a captured idempotency
    /// key alone must give no access. A different password makes it a different request.
    private func answerAgain(
        _ first: IdentityV1.StoredResponse, _ applicant: Applicant
    ) async throws -> IdentityV1.RegisterResponse {
        // The proof's time is taken before the hash. If the password is replaced while the hash
        // runs, the session service rejects this proof with all older ones. After a guest's upgrade
        // the time is set past the end of its sessions, which may lie in this millisecond.
        let moment = time.now() + (first.wasGuest ? ProofIssuer.afterEnd : .zero)
        let account = try AccountID(stored: first.account)
        guard let holder = try await store.read({ try $0.passwordHolder(account) }) else {
            throw ServiceError(.idempotencyKeyReused)
        }
        try await passwords.require(of: account, repeating: applicant.repeatable) {
            try await passwords.isRight(applicant.password, of: holder)
        }
        guard holder.row.status.mayVerify else { throw ServiceError(.accountDisabled) }
        let admission = SignInAdmission(settings: settings, writer: writer)
        let admitted = try await store.read {
            try admission.admitAgain(holder.row, .password, in: $0, at: moment)
        }
        return try await answer(admitted, provedAt: moment)
    }

    /// A draft for an applicant. `hash` is the hash of the password.
    /// - Parameter guest: the calling guest, which becomes the account; nil without one.
    /// - Throws: when the guest's key does not open, or sealing fails.
    private func draft(
        _ applicant: Applicant, hash: String, as guest: AccountRow?, at moment: Timestamp
    ) throws -> RegistrationDraft {
        let id = guest?.account ?? AccountID.drawn(from: randomness)
        let vault = try guest.map { try reader.vault($0) } ?? writer.newVault(of: id)
        let account = NewAccount(
            account: id, sealedKey: vault.sealedKey,
            sealedDisplayName: try vault.seal(applicant.displayName, .displayName),
            isNameTyped: !applicant.displayName.isEmpty,
            language: applicant.language,
            address: try NewAddress(applicant.address, isProved: false, vault, keys),
            sealedPasswordHash: try vault.seal(hash, .passwordHash),
            status: settings.emailVerification == .required
                ? .pendingVerification : .active)
        let verification = try LinkMail(
            .verifyEmail, LinkToken.drawn(from: randomness), of: id, to: applicant.address,
            addressKey: applicant.lookUpKey, language: applicant.language, settings, writer,
            at: moment, until: moment + settings.verificationLife)
        let ownerMailKey = applicant.repeatable.map { outbox.key(of: $0) } ?? outbox.newKey()
        return RegistrationDraft(
            account: account, verification: verification, ownerMailKey: ownerMailKey)
    }
}

extension AccountsHandler {
    /// Everything that a registration may write, prepared before its transaction: the account's
    /// rows, its link, and the key or text of the two mails, of which one is sent.
    private struct RegistrationDraft: Sendable {
        let account: NewAccount
        /// To the new account: verify your address.
        let verification: LinkMail
        /// The idempotency key of the mail to the owner of a taken address. Retries of one call use
        /// the same key, so the owner gets one mail.
        let ownerMailKey: String
    }
}
