import Contracts
import Cryptography
import Messages
import RPC
import ServiceRuntime
import Storage

extension AccountsHandler {
    /// Confirms the address that a link was sent to (G-12): reads, decides by `ConfirmationRule`,
    /// writes, and, if the password was replaced, ends all sessions through the outbox.
    ///
    /// Only the transaction uses the link up. A call that fails before it leaves the link valid.
    func confirmEmail(
        _ request: GatewayV1.VerifyEmailRequest, _ context: CallContext
    ) async throws -> IdentityV1.ConfirmEmailResponse {
        let attempt = try ConfirmationAttempt(
            request, by: await calls.optionalOwner(in: context)?.account, context, keys)
        return try await untilUnchanged {
            guard let (link, holder) = try await find(attempt) else {
                if let row = try await ClaimConfirmation(
                    store: store, writer: writer, passwords: passwords, time: time,
                    answers: answers
                ).run(attempt) {
                    return try await answer(row, forgetsDevices: true)
                }
                return try await answerAgain(attempt)
            }
            guard holder.row.status.mayVerify else { throw ServiceError(.accountDisabled) }
            let newHash = try await decide(attempt, holder)
            if let (row, forgetsDevices) = try await write(attempt, link, holder, newHash) {
                return try await answer(row, forgetsDevices: forgetsDevices)
            }
            return nil
        }
    }

    private func find(_ attempt: ConfirmationAttempt) async throws -> (Link, PasswordHolder)? {
        let now = time.now()
        return try await store.read { session in
            guard
                let link = try session.link(
                    .verifyEmail, tokenHash: attempt.tokenHash, at: now),
                let holder = try session.passwordHolder(link.account),
                holder.row.address?.lookUpKey == link.addressKey
            else { return nil }
            return (link, holder)
        }
    }

    /// - Returns: the sealed hash of the password that replaces the account's; nil if it does not
    ///   change.
    private func decide(
        _ attempt: ConfirmationAttempt, _ holder: PasswordHolder
    ) async throws -> [UInt8]? {
        let rule = ConfirmationRule(
            owner: holder.row.account, callersAccount: attempt.callersAccount,
            hasPassword: !attempt.password.isEmpty)
        // Elsewhere the link needs a password, which counts nowhere. The link stays valid for the
        // account's session.
        if rule != .byLink { try passwords.requireOn() }
        switch rule {
        case .byLink: return nil
        case .passwordMissing: throw ServiceError(.passwordNeeded, fields: ["password"])
        case .byPassword: return try await replacement(attempt, holder)
        }
    }

    private func replacement(
        _ attempt: ConfirmationAttempt, _ holder: PasswordHolder
    ) async throws -> [UInt8]? {
        guard let typed = Password(entered: attempt.password) else {
            throw ServiceError.weakPassword([.length], field: "password")
        }
        if try await passwords.isRight(typed, of: holder) { return nil }
        let new = try await passwords.new(
            attempt.password, by: settings.passwordPolicy,
            try reader.passwordContext(holder.row, app: settings.appName))
        return try await passwords.hash(new, try reader.vault(holder.row))
    }

    private func write(
        _ attempt: ConfirmationAttempt, _ link: Link, _ checked: PasswordHolder,
        _ newHash: [UInt8]?
    ) async throws -> (AccountRow, forgetsDevices: Bool)? {
        // A password may have been compared.
        try await store.write(about: [.account(link.account)], evenIfCancelled: true) {
            transaction in
            let account = link.account
            if let first = try transaction.storedResponse(of: attempt.repeatable),
                let row = try transaction.account(account)
            {
                return (row, first.forgetsDevices)
            }
            // The link may have been used, or the password or address may have changed, in the
            // meantime.
            let found = try transaction.link(
                .verifyEmail, tokenHash: attempt.tokenHash, at: transaction.at)
            guard found == link, let holder = try transaction.passwordHolder(account),
                holder.sealedHash == checked.sealedHash, holder.row.status.mayVerify,
                holder.row.address?.lookUpKey == link.addressKey
            else { return nil }
            try transaction.removeLinks(.verifyEmail, of: account)
            try transaction.setAddressProved(account)
            try transaction.audit(.emailVerified, account, from: attempt.origin)
            if let newHash {
                try replace(holder.row, newHash, attempt, transaction)
            } else {
                try welcome(holder.row, attempt, transaction)
            }
            guard let row = try transaction.account(account), row.address?.provedAt != nil else {
                throw ServiceError(.internalError, detail: "a verified address is missing")
            }
            try transaction.remember(
                attempt.repeatable, .init(repeatedByPasswordOf: row, forgetsDevices: newHash != nil)
            )
            return (row, newHash != nil)
        }
    }

    /// Welcomes the person whose sign-up this link completes. One whom an import has brought did not
    /// sign up here, and with another password somebody else did.
    private func welcome(
        _ row: AccountRow, _ attempt: ConfirmationAttempt, _ transaction: Transaction
    ) throws {
        guard row.address?.provedAt == nil, try !transaction.isImported(row.account) else { return }
        try notices.welcome(
            row, at: .verification, as: settings.welcomeMail, attempt.device, transaction)
    }

    private func replace(
        _ row: AccountRow, _ hash: [UInt8], _ attempt: ConfirmationAttempt,
        _ transaction: Transaction
    ) throws {
        let account = row.account
        let isTakeover = row.address?.provedAt == nil
        if isTakeover {
            try Takeover(writer: writer, transaction: transaction)
                .removeIdentities(
                    row, DeviceShown(nil, from: attempt.origin), origin: attempt.origin)
        }
        try transaction.setPassword(account, sealedHash: hash)
        try transaction.cancelPendingChanges(of: account)
        try transaction.audit(
            .passwordReplaced, account, detail: .password(isTakeover ? .takeover : .reset),
            from: attempt.origin)
        try transaction.endSessions(of: account, provedUntil: transaction.at, outbox)
    }

    /// There is no such link any more, but this may be a repeat of the call that used it (G-25).
    private func answerAgain(
        _ attempt: ConfirmationAttempt
    ) async throws -> IdentityV1.ConfirmEmailResponse {
        let (first, holder) = try await passwords.holder(
            ofRepeated: attempt.repeatable, callersAccount: attempt.callersAccount,
            password: attempt.password)
        return try await answer(holder.row, forgetsDevices: first.forgetsDevices)
    }

    private func answer(
        _ row: AccountRow, forgetsDevices: Bool
    ) async throws -> IdentityV1.ConfirmEmailResponse {
        IdentityV1.ConfirmEmailResponse(
            account: try await answers.account(row), forgetDevices: forgetsDevices)
    }
}

extension SQLSession {
    /// Whether an import has brought the account.
    fileprivate func isImported(_ account: AccountID) throws -> Bool {
        try queryOne(
            "SELECT 1 FROM imported_accounts WHERE account = ?", [.integer(account.key)]
        ) { try $0.integer(0) } != nil
    }
}

/// A request to confirm an address, parsed and checked.
struct ConfirmationAttempt: Sendable {
    let tokenHash: [UInt8]
    /// The account of the caller's session; nil outside a session.
    ///
    /// A session that ends meanwhile confirms nothing that belongs to somebody else: whatever gives
    /// the account to another person (`Takeover`, a reset) deletes its links.
    let callersAccount: AccountID?
    /// As entered; empty if none was.
    let password: SecretBytes
    let origin: CallOrigin
    let device: DeviceShown
    /// For idempotency; nil if the call has no key.
    let repeatable: RepeatableCall?

    /// Reads a request.
    /// - Throws: `auth/invalid-link` for a malformed token; `rpc/invalid-argument` for a malformed
    ///   idempotency key.
    init(
        _ request: GatewayV1.VerifyEmailRequest, by callersAccount: AccountID?,
        _ context: CallContext, _ keys: IdentityKeys
    ) throws(ServiceError) {
        guard let token = LinkToken(text: request.token) else { throw ServiceError(.invalidLink) }
        tokenHash = token.hash(.verifyEmail, keys.links)
        self.callersAccount = callersAccount
        password = request.password
        origin = CallOrigin(context, on: request.device, keys)
        device = DeviceShown(request.device, from: origin)
        repeatable = try RepeatableCall(
            AccountsDescription.confirmEmail, request, by: callersAccount?.text ?? "", context, keys
        )
    }
}
