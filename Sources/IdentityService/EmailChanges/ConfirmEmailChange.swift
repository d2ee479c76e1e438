import Addresses
import Contracts
import Cryptography
import Messages
import RPC
import ServiceRuntime
import Storage

extension EmailChangesHandler {
    /// Replaces an account's address by the new one, by the link that was mailed there (G-12):
    /// reads, decides by `ConfirmationRule`, counts and checks a password if one is needed, writes.
    ///
    /// Attack: an attacker requests a change to a victim's address and hopes that the victim opens
    /// the link. Outside the attacker's session the link needs the attacker's password, so the
    /// victim's click has no effect. Otherwise an account of the attacker would own the victim's
    /// address, and the victim's first sign-in through a provider would enter that account.
    ///
    /// Sessions continue, because the person who reads the new address's mail is the one who is
    /// signed in. The old address is notified, and all links and codes that were mailed to it
    /// become void.
    ///
    /// If another account owns the address by now, the error says so. That reveals nothing to a
    /// person who reads its mail.
    func confirmEmailChange(
        _ request: GatewayV1.ConfirmEmailChangeRequest, _ context: CallContext
    ) async throws -> GatewayV1.ConfirmEmailChangeResponse {
        let owner = try await owners.optionalOwner(in: context)
        let attempt = try Attempt(request, from: owner, context, keys)
        return try await untilUnchanged {
            guard let (change, holder) = try await find(attempt) else {
                return try await answerAgain(attempt)
            }
            guard holder.row.status.isUsable else { throw ServiceError(.accountDisabled) }
            try await decide(attempt, change, holder)
            guard let row = try await write(attempt, change, holder) else { return nil }
            return try await answer(row)
        }
    }

    private func find(
        _ attempt: Attempt
    ) async throws -> (PendingEmailChange, PasswordHolder)? {
        let now = time.now()
        return try await store.read { session in
            guard let change = try session.emailChange(tokenHash: attempt.tokenHash, at: now),
                let holder = try session.passwordHolder(change.account)
            else { return nil }
            return (change, holder)
        }
    }

    private func decide(
        _ attempt: Attempt, _ change: PendingEmailChange, _ holder: PasswordHolder
    ) async throws {
        let rule = ConfirmationRule(
            owner: change.account, callersAccount: attempt.callersAccount,
            hasPassword: !attempt.password.isEmpty)
        // Before the attempt is counted: the link stays valid for the account's session.
        if rule != .byLink { try passwords.requireOn() }
        try await LinkProof(store: store).require(
            rule, attempt.password, of: change.account, from: attempt.origin,
            counted: { try $0.countGuess(at: change) },
            isRight: { try await passwords.isRight($0, of: holder) })
    }

    /// - Returns: nil if the change is void or the account has changed since the check.
    private func write(
        _ attempt: Attempt, _ change: PendingEmailChange, _ checked: PasswordHolder
    ) async throws -> AccountRow? {
        do {
            // A password may have been compared.
            return try await store.write(about: [.account(change.account)], evenIfCancelled: true) {
                transaction in
                guard try transaction.storedResponse(of: attempt.repeatable) == nil,
                    try transaction.emailChange(
                        tokenHash: attempt.tokenHash, at: transaction.at) == change,
                    let holder = try transaction.passwordHolder(change.account),
                    holder.sealedHash == checked.sealedHash, holder.row.status.isUsable
                else { return nil }
                // The account's own session needed no password, so it must not have ended since.
                if let owner = attempt.owner, owner.account == change.account {
                    try transaction.requireLive(owner)
                }
                guard try transaction.owner(ofAddress: change.addressKey) == nil else {
                    throw ServiceError(.emailAlreadyInUse)
                }
                try self.change(holder.row, by: change, attempt, transaction)
                guard let row = try transaction.account(change.account),
                    row.address?.lookUpKey == change.addressKey, row.address?.provedAt != nil
                else { throw ServiceError(.internalError, detail: "the new address is missing") }
                try transaction.remember(attempt.repeatable, .init(repeatedByPasswordOf: row))
                return row
            }
        } catch let error as SQLError where error.kind == .constraint(.unique) {
            // A concurrent transaction took the address; the unique index decides.
            throw ServiceError(.emailAlreadyInUse)
        }
    }

    private func change(
        _ row: AccountRow, by change: PendingEmailChange, _ attempt: Attempt,
        _ transaction: Transaction
    ) throws {
        let vault = try reader.vault(row)
        let entered = try vault.open(change.sealedAddress, .newAddress)
        guard let address = EmailAddress(entered) else {
            throw ServiceError(.internalError, detail: "the new address is malformed")
        }
        try replaceAddress(
            of: row.account,
            by: NewAddress(
                lookUpKey: change.addressKey, sealed: try vault.seal(entered, .address),
                isProved: true), transaction)
        try transaction.audit(
            .emailChanged, row.account, from: attempt.origin, subject: keys.subject(of: address))
        try tellChanged(
            to: address, of: row, from: attempt.origin, by: attempt.callersSession, transaction)
    }

    /// There is no such change any more, but this may be a repeat of the call that used it (G-25).
    private func answerAgain(
        _ attempt: Attempt
    ) async throws -> GatewayV1.ConfirmEmailChangeResponse {
        let (_, holder) = try await passwords.holder(
            ofRepeated: attempt.repeatable, callersAccount: attempt.callersAccount,
            password: attempt.password)
        return try await answer(holder.row)
    }

    private func answer(
        _ row: AccountRow
    ) async throws -> GatewayV1.ConfirmEmailChangeResponse {
        GatewayV1.ConfirmEmailChangeResponse(account: try await answers.account(row))
    }
}

extension EmailChangesHandler {
    /// A request to confirm an email change, parsed and checked.
    struct Attempt: Sendable {
        let tokenHash: [UInt8]
        /// The owner of the caller's session; nil outside a session.
        let owner: SessionOwner?
        /// The account of that session. Stored: reading it from `owner` crashes the optimizer of
        /// Swift 6.3.1, once it is inlined ("Found ownership error").
        let callersAccount: AccountID?
        /// Its id, "ses_…"; empty outside a session. Stored for the same reason.
        let callersSession: String
        /// As entered; empty if none was.
        let password: SecretBytes
        let origin: CallOrigin
        /// For idempotency; nil if the call has no key.
        let repeatable: RepeatableCall?

        /// Reads a request.
        /// - Throws: `auth/invalid-link` for a malformed token; `rpc/invalid-argument` for a
        ///   malformed idempotency key.
        init(
            _ request: GatewayV1.ConfirmEmailChangeRequest, from owner: SessionOwner?,
            _ context: CallContext, _ keys: IdentityKeys
        ) throws(ServiceError) {
            guard let token = LinkToken(text: request.token) else {
                throw ServiceError(.invalidLink)
            }
            tokenHash = token.hash(.changeEmail, keys.links)
            self.owner = owner
            callersAccount = owner?.account
            callersSession = owner?.session ?? ""
            password = request.password
            origin = CallOrigin(context, on: request.device, keys)
            repeatable = try RepeatableCall(
                EmailChangesDescription.confirmEmailChange, request, context, keys)
        }
    }
}
