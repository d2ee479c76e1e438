import Addresses
import Contracts
import Cryptography
import Messages
import RPC
import ServiceRuntime
import Storage

extension BackendAccountsHandler {
    /// Creates an account for a backend (I-10): reads the request, hashes, writes, responds.
    ///
    /// One transaction writes the account, its profile, its ways to sign in, its claims, the audit
    /// event, and the link if one is mailed. No age is asked for, so none counts as checked; consent
    /// is asked for at the first sign-in (`RequiredActionRule`). It has not been signed in to.
    ///
    /// A password that has leaked is refused before the address is looked up, as at a sign-up. A
    /// repeat gets the same account, as it is then, whatever password it names: the token's hash
    /// covers the password, and the answer opens nothing.
    func createAccount(
        _ request: GatewayV1.CreateAccountRequest, _ context: CallContext
    ) async throws -> GatewayV1.CreateAccountResponse {
        let backend = try calls.backends.caller(
            of: request, BackendAccountsDescription.createAccount, context)
        let order = try Order(request, by: backend, context, keys, settings)
        if let first = try await store.storedResponse(of: order.repeatable, at: time.now()) {
            return try await answer(first)
        }
        let hash = try await hash(order.password, order.address, order.displayName)
        let id = AccountID.drawn(from: randomness)
        return try await answer(untilUnchanged { try await write(order, hash, id) })
    }

    /// The hash of a password that a backend sets; nil for none.
    func hash(
        _ entered: SecretBytes, _ address: EmailAddress?, _ displayName: String
    ) async throws -> String? {
        guard !entered.isEmpty else { return nil }
        let password = try await passwords.new(
            entered, by: settings.passwordPolicy,
            PasswordContext(address: address, displayName: displayName, app: settings.appName))
        return try await passwords.hash(password)
    }

    /// - Returns: nil if another writer took the address or the number between the look-up and the
    ///   write, as can be on a storage engine with several writers.
    private func write(
        _ order: Order, _ hash: String?, _ id: AccountID
    ) async throws -> IdentityV1.StoredResponse? {
        do {
            return try await store.write(about: [.account(id)]) { transaction in
                if let first = try transaction.storedResponse(of: order.repeatable) {
                    return first
                }
                return try create(order, hash, id, transaction)
            }
        } catch let error as SQLError where error.kind == .constraint(.unique) {
            return nil
        }
    }

    private func create(
        _ order: Order, _ hash: String?, _ id: AccountID, _ transaction: Transaction
    ) throws -> IdentityV1.StoredResponse {
        let former = try formerHolder(order, transaction)
        try requireFree(order.number, for: former?.account, transaction)
        let account = former?.account ?? id
        let vault = try former.map { try reader.vault($0) } ?? writer.newVault(of: id)
        var removed: [SignInMethod] = []
        if let former {
            removed = try takeOver(former, order, vault, transaction)
        } else {
            try transaction.insert(newAccount(order, id, vault))
        }
        if let hash {
            try transaction.setPassword(account, sealedHash: try vault.seal(hash, .passwordHash))
        }
        if let number = order.number {
            try insert(number, of: account, vault, transaction)
        }
        if !order.claims.isEmpty || former?.claims != nil {
            _ = try AccountClaimsWriter(writer: writer).set(
                order.claims, of: account, base: nil, endSessions: false, transaction)
        }
        try mailLink(order, of: account, transaction)
        try transaction.audit(
            AuditEvent(
                .accountCreatedByBackend, account: account.key,
                subject: order.address.map { keys.subject(of: $0) }
            ).from(order.origin).by(order.backend.actor))
        guard let row = try transaction.account(account), !row.isGuest,
            row.address != nil || row.phone != nil
        else { throw ServiceError(.internalError, detail: "a new account is incomplete") }
        let response = IdentityV1.StoredResponse(
            account: account.key, removedMethods: removed.map(\.name))
        try transaction.remember(order.repeatable, response)
        return response
    }

    /// The account that has to be taken over; nil if the address is free, or there is none.
    /// - Throws: `auth/email-already-in-use`.
    private func formerHolder(
        _ order: Order, _ transaction: Transaction
    ) throws -> AccountRow? {
        guard let address = order.address else { return nil }
        let owner = try transaction.lockedOwner(ofAddress: keys.lookUpKey(of: address))
        guard let owner else { return nil }
        guard let row = try transaction.account(owner),
            ManagedAddressRule.isTakenOver(
                status: row.status, isProved: row.address?.provedAt != nil,
                isVouchedFor: order.isVerified)
        else { throw ServiceError(.emailAlreadyInUse, fields: ["email"]) }
        return row
    }

    private func newAccount(
        _ order: Order, _ id: AccountID, _ vault: AccountVault
    ) throws -> NewAccount {
        let isPending =
            settings.emailVerification == .required && order.address != nil && !order.isVerified
        return NewAccount(
            account: id, sealedKey: vault.sealedKey,
            sealedDisplayName: try vault.seal(order.displayName, .displayName),
            isNameTyped: !order.displayName.isEmpty, language: order.language,
            address: try order.address.map {
                try NewAddress($0, isProved: order.isVerified, vault, keys)
            }, status: isPending ? .pendingVerification : .active, isSignedIn: false)
    }

    /// Gives the account to the person for whom the backend vouches (X-04, `Takeover`). Not they but
    /// the former holder has chosen its name.
    private func takeOver(
        _ row: AccountRow, _ order: Order, _ vault: AccountVault, _ transaction: Transaction
    ) throws -> [SignInMethod] {
        guard let address = order.address else { return [] }
        let takeover = Takeover(writer: writer, transaction: transaction)
        let removed = try takeover.run(row, origin: order.origin)
        try takeover.prove(address, of: row, origin: order.origin)
        if order.displayName.isEmpty {
            try transaction.setNameUnedited(row.account)
        } else {
            try transaction.setDisplayName(
                try vault.seal(order.displayName, .displayName), of: row.account)
        }
        if order.hasLanguage { try transaction.setLanguage(order.language, of: row.account) }
        try notices.write(
            .accountSetUp, to: row.account, DeviceShown(nil), with: [.methods(removed)],
            transaction)
        return removed
    }

    private func mailLink(
        _ order: Order, of account: AccountID, _ transaction: Transaction
    ) throws {
        guard order.sendsVerification, let address = order.address else { return }
        let key = keys.lookUpKey(of: address)
        guard try transaction.maySend(.signUp, to: key) else { return }
        try transaction.send(
            try LinkMail(
                .verifyEmail, LinkToken.drawn(from: randomness), of: account, to: address,
                addressKey: key, language: order.language, settings, writer, at: transaction.at,
                until: transaction.at + settings.verificationLife))
    }

    private func answer(
        _ stored: IdentityV1.StoredResponse
    ) async throws -> GatewayV1.CreateAccountResponse {
        let account = try AccountID(stored: stored.account)
        // A repeat after the account was deleted.
        guard let row = try await store.read({ try $0.account(account) }) else {
            throw ServiceError.noManagedAccount
        }
        return GatewayV1.CreateAccountResponse(
            account: try await answers.account(row), removedMethods: stored.removedMethods)
    }
}

extension BackendAccountsHandler {
    /// Requires that a number is free, or of this account.
    /// - Throws: `auth/credential-already-in-use`.
    func requireFree(
        _ number: PhoneNumber?, for account: AccountID?, _ transaction: Transaction
    ) throws {
        guard let number,
            let owner = try transaction.phoneIdentity(number, keys).account, owner != account
        else { return }
        throw ServiceError(.credentialAlreadyInUse, fields: ["phone_number"])
    }

    /// Gives an account a number. It has not been signed in with.
    func insert(
        _ number: PhoneNumber, of account: AccountID, _ vault: AccountVault,
        _ transaction: Transaction
    ) throws {
        try transaction.insert(
            NewIdentity(
                PhoneIdentity.proved(number.text), of: account, key: randomness.rowKey(), vault,
                keys),
            isUsed: false)
    }
}

/// Decides whether a backend's new account takes over the one that has its address (I-10). Pure:
///
///     address here   its account          email_verified   result
///     verified       any                  any              auth/email-already-in-use
///     unverified     active, pending      yes              taken over
///     unverified     active, pending      no               auth/email-already-in-use
///     unverified     suspended, deleted   any              auth/email-already-in-use
///
/// Attack: somebody signs up with the addresses of a company's people, before the company's backend
/// does. If an unverified address counted, none of them could get an account. Without the backend's
/// word the address belongs to no one here, and a backend that takes what strangers type would hand over
/// the accounts of others.
enum ManagedAddressRule {
    static func isTakenOver(status: AccountStatus, isProved: Bool, isVouchedFor: Bool) -> Bool {
        isVouchedFor && !isProved && status.mayVerify
    }
}

extension BackendAccountsHandler {
    /// The validated request of a new account.
    struct Order: Sendable {
        let backend: Backend
        let origin: CallOrigin
        /// For idempotent retries; nil for a call of the tool without a key.
        let repeatable: RepeatableCall?
        /// Nil for an account with a number alone.
        let address: EmailAddress?
        let isVerified: Bool
        let number: PhoneNumber?
        /// As entered; empty for none. The policy is checked later.
        let password: SecretBytes
        let displayName: String
        let language: String
        /// The request names a language.
        let hasLanguage: Bool
        let claims: AccountClaims
        let sendsVerification: Bool

        /// Reads a request.
        /// - Throws: `auth/invalid-email`, `auth/invalid-phone-number`; as `PhoneSettings.require`;
        ///   `rpc/invalid-argument` with the field.
        init(
            _ request: GatewayV1.CreateAccountRequest, by backend: Backend, _ context: CallContext,
            _ keys: IdentityKeys, _ settings: IdentitySettings
        ) throws(ServiceError) {
            func require(_ isValid: Bool, _ fields: String...) throws(ServiceError) {
                guard isValid else { throw ServiceError(.invalidArgument, fields: fields) }
            }
            let (hasEmail, hasNumber) = (!request.email.isEmpty, !request.phoneNumber.isEmpty)
            try require(backend.account == nil, "call.account_id")
            // Without a way in it would be an orphan.
            try require(hasEmail || hasNumber, "email", "phone_number")
            try require(hasEmail || !request.emailVerified, "email_verified")
            try require(hasEmail || request.password.isEmpty, "password")
            try require(
                !request.sendVerification || hasEmail && !request.emailVerified,
                "send_verification")
            try require(Applicant.isDisplayName(request.displayName), "display_name")
            address = try hasEmail ? EmailAddress.required(request.email) : nil
            number = try hasNumber ? PhoneNumber.required(request.phoneNumber) : nil
            if let number { try settings.phone.require(number) }
            claims = try AccountClaims.checked(roles: request.roles, json: request.claimsJson)
            language = try context.mailLanguage(request.mailLanguage, settings)
            hasLanguage = !request.mailLanguage.isEmpty
            self.backend = backend
            origin = CallOrigin(context, keys)
            repeatable = try RepeatableCall(
                BackendAccountsDescription.createAccount, request, backend, keys)
            isVerified = request.emailVerified
            password = request.password
            displayName = request.displayName
            sendsVerification = request.sendVerification
        }
    }
}

extension Transaction {
    /// Sets the language of an account's mails.
    fileprivate func setLanguage(_ language: String, of account: AccountID) throws {
        try put(
            "UPDATE profiles SET language = ? WHERE account = ?",
            [.text(language), .integer(account.key)])
    }
}
