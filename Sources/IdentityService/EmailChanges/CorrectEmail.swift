import Addresses
import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage

extension EmailChangesHandler {
    /// Replaces a mistyped address by the account's password, without a session (G-02): reads,
    /// compares, decides by `CorrectionRule`, writes. The new address is unverified, a link is mailed
    /// there, and everything that was mailed to the old one becomes void. The old address, which may
    /// be the owner's after all, and the account's devices are told.
    ///
    ///     the password is    the account             the new address is    result
    ///     wrong              any, or none            any                   auth/invalid-credential
    ///     right              keeps its address       any                   auth/invalid-credential
    ///     right              any other               another account's     auth/email-already-in-use
    ///     right              any other               free                  replaced
    ///
    /// The first two rows are one answer in one time: the same read, hash and audit write, and
    /// both wait for the slowest hash. The third is the answer of a sign-up: the owner of the address
    /// gets a mail. With `enumeration: strict` that would tell who has an account, so there the call
    /// is refused before anything is read: each sign-up is a claim, and the person signs up again.
    ///
    /// Attack: leaked passwords are tried here instead of at sign-in. Each answer that confirms one is
    /// recorded, and told to the owner: a change by its notice, a taken address as a new device is.
    ///
    /// Sessions continue, as after any other change of the address.
    func correctEmail(
        _ request: IdentityV1.CorrectEmailRequest, _ context: CallContext
    ) async throws -> GatewayV1.CorrectEmailResponse {
        try passwords.requireOn()
        guard settings.enumeration == .friendly else { throw ServiceError(.operationNotAllowed) }
        let correction = try Correction(
            request, LinkToken.drawn(from: randomness), context, keys)
        let first = correction.attempt.repeatable
        var stored = try await store.storedResponse(of: first, at: time.now())
        try await passwords.responseTimeFloor.requireTime(until: context.deadline)
        let outcome: CorrectionOutcome = try await untilUnchanged {
            if let stored {
                try await checkRepeat(stored, correction)
                return .corrected
            }
            if let outcome = try await check(correction) { return outcome }
            do {
                // The first of two calls may have been committed meanwhile.
                stored = try await store.storedResponse(of: first, at: time.now())
            } catch let error as ServiceError {
                throw error.afterComparison
            }
            return nil
        }
        guard outcome == .corrected else {
            throw ServiceError(.emailAlreadyInUse, fields: ["new_email"])
        }
        return GatewayV1.CorrectEmailResponse()
    }

    private enum CorrectionOutcome: Sendable {
        case corrected
        case taken
    }

    /// - Returns: nil if the account has changed since the check, or a first call was committed.
    private func check(_ correction: Correction) async throws -> CorrectionOutcome? {
        let attempt = correction.attempt
        // One read for all accounts, so that its time says nothing about them.
        let found = try await store.read { session -> (PasswordHolder, Bool)? in
            guard let holder = try session.passwordHolder(ofAddress: attempt.lookUpKey) else {
                return nil
            }
            return (holder, try session.replacesAddress(of: holder.row))
        }
        let verdict = try await passwords.verdict(attempt.password, of: found?.0)
        guard let (holder, replaces) = found, verdict.isRight, replaces else {
            if verdict.isRight {
                try await passwords.responseTimeFloor.waitOut(from: verdict.begun)
            }
            do {
                if try await store.storedResponse(of: attempt.repeatable, at: time.now()) != nil {
                    return nil
                }
            } catch let error as ServiceError {
                throw error.afterComparison
            }
            throw try await attempt.refused(.invalidCredential, found?.0, store)
        }
        do {
            return try await write(correction, holder)
        } catch let error as ServiceError {
            throw error.afterComparison
        }
    }

    private func write(
        _ correction: Correction, _ checked: PasswordHolder
    ) async throws -> CorrectionOutcome? {
        let attempt = correction.attempt
        let account = checked.row.account
        do {
            // A password was compared.
            return try await store.write(about: [.account(account)], evenIfCancelled: true) {
                transaction in
                guard try transaction.storedResponse(of: attempt.repeatable) == nil,
                    let holder = try transaction.passwordHolder(account),
                    holder.sealedHash == checked.sealedHash,
                    holder.row.address?.lookUpKey == attempt.lookUpKey,
                    try transaction.replacesAddress(of: holder.row)
                else { return nil }
                if let owner = try transaction.owner(ofAddress: correction.lookUpKey) {
                    try refuse(correction, of: holder.row, for: owner, transaction)
                    return .taken
                }
                try correct(holder.row, correction, transaction)
                return .corrected
            }
        } catch let error as SQLError where error.kind == .constraint(.unique) {
            // A concurrent transaction took the address. The next attempt finds its owner.
            return nil
        }
    }

    private func correct(
        _ row: AccountRow, _ correction: Correction, _ transaction: Transaction
    ) throws {
        let (account, attempt) = (row.account, correction.attempt)
        try replaceAddress(
            of: account,
            by: NewAddress(correction.address, isProved: false, reader.vault(row), keys),
            transaction)
        guard let new = try transaction.account(account),
            new.address?.lookUpKey == correction.lookUpKey, new.address?.provedAt == nil
        else { throw ServiceError(.internalError, detail: "the new address is missing") }
        if !correction.isMailWithheld,
            try transaction.maySend(.signUp, to: correction.lookUpKey),
            let mail = try LinkMail(
                .verifyEmail, correction.token, to: new, settings, writer, at: transaction.at,
                until: transaction.at + settings.verificationLife)
        {
            try transaction.send(mail)
        }
        try transaction.audit(
            .emailChanged, account, from: attempt.origin,
            subject: keys.subject(of: correction.address))
        try tellChanged(
            to: correction.address, of: row, from: attempt.origin, by: "", transaction)
        try transaction.remember(attempt.repeatable, .init(repeatedByPasswordOf: new))
    }

    /// Another account has the new address: records that the password was right, and tells the
    /// address's owner, as a sign-up does.
    private func refuse(
        _ correction: Correction, of row: AccountRow, for owner: AccountID,
        _ transaction: Transaction
    ) throws {
        let attempt = correction.attempt
        try transaction.audit(
            .emailChangeRefused, row.account, from: attempt.origin,
            subject: keys.subject(of: correction.address), outcome: .emailAlreadyInUse)
        try SignInRecorder(settings: settings, writer: writer)
            .recordDevice(
                attempt.device, by: .password, of: row.account, from: attempt.origin, transaction)
        guard !correction.isMailWithheld, let owning = try transaction.account(owner),
            owning.status.isUsable, let owned = owning.address,
            try transaction.maySend(
                owned.provedAt == nil ? .signUp : .account, to: owned.lookUpKey)
        else { return }
        // Retries of one call use the same key, so the owner gets one mail.
        try mailTaken(
            by: owning, key: attempt.repeatable.map { outbox.key(of: $0) } ?? outbox.newKey(),
            transaction)
    }

    /// A repeat of a call that was committed, after which the old address has no account (G-25): the
    /// password is that of the account that it had.
    /// - Throws: `auth/idempotency-key-reused` for another one.
    private func checkRepeat(
        _ first: IdentityV1.StoredResponse, _ correction: Correction
    ) async throws {
        let (account, attempt) = (try AccountID(stored: first.account), correction.attempt)
        guard let holder = try await store.read({ try $0.passwordHolder(account) }) else {
            throw ServiceError(.idempotencyKeyReused)
        }
        try await passwords.require(of: account, repeating: attempt.repeatable) {
            try await passwords.isRight(attempt.password, of: holder)
        }
    }
}

/// The validated request to correct an address.
private struct Correction: Sendable {
    /// The password, for the account of the old address.
    let attempt: SignInAttempt
    /// The new address.
    let address: EmailAddress
    /// Its keyed hash.
    let lookUpKey: [UInt8]
    /// Of the link that is mailed there.
    let token: LinkToken
    /// The new address has received the maximum number of mails caused by other callers, so none is
    /// sent.
    let isMailWithheld: Bool

    /// Reads a request.
    /// - Throws: `auth/invalid-email` for a text that is no address, and for the old address as the
    ///   new one, whether or not it has an account; as `SignInAttempt`.
    init(
        _ request: IdentityV1.CorrectEmailRequest, _ token: LinkToken, _ context: CallContext,
        _ keys: IdentityKeys
    ) throws(ServiceError) {
        let wanted = request.correction ?? GatewayV1.CorrectEmailRequest()
        guard let address = EmailAddress(wanted.newEmail) else {
            throw ServiceError(.invalidEmail, fields: ["new_email"])
        }
        attempt = try SignInAttempt(
            GatewayV1.SignInWithPasswordRequest(
                email: wanted.email, password: wanted.password, device: wanted.device),
            RepeatableCall(EmailChangesDescription.correctEmail, request, context, keys),
            context, keys)
        lookUpKey = keys.lookUpKey(of: address)
        guard lookUpKey != attempt.lookUpKey else {
            throw ServiceError.ownAddress(field: "new_email")
        }
        self.address = address
        self.token = token
        isMailWithheld = request.mailWithheld
    }
}
