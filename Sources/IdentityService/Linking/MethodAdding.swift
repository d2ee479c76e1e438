import Addresses
import Contracts
import ServiceRuntime
import Storage

/// Links a proved identity, of a provider or a phone number, to the caller's account (G-14). The
/// owner gets a notice, and the audit log an entry. The account is not a guest
/// (`SessionOwners.ownerOfMethods`).
struct MethodAdding: Sendable {
    let store: Store
    let keys: IdentityKeys
    let randomness: any Randomness
    let keepsGrants: Bool

    /// - Throws: as `MethodRule`; `auth/session-ended`, `auth/missing-or-invalid-nonce`,
    ///   `auth/user-disabled`, `auth/idempotency-key-reused`; `auth/invalid-access-token` when the
    ///   account no longer exists.
    func add(_ proved: ProvedIdentity, _ call: MethodCall) async throws -> AccountRow {
        let outcome: Result<AccountRow, ServiceError>
        do {
            outcome = try await store.write { transaction in
                try MethodAddition(
                    keys: keys, randomness: randomness, keepsGrants: keepsGrants, proved: proved,
                    call: call, transaction: transaction
                ).run()
            }
        } catch let error as SQLError where error.kind == .constraint(.unique) {
            // On a storage engine with several writers, another link can commit between the lookup
            // and the write.
            throw ServiceError(.credentialAlreadyInUse)
        }
        return try outcome.get()
    }
}

/// The transaction that adds a method.
private struct MethodAddition {
    let keys: IdentityKeys
    let randomness: any Randomness
    let keepsGrants: Bool
    let proved: ProvedIdentity
    let call: MethodCall
    let transaction: Transaction

    private var account: AccountID { call.owner.account }

    func run() throws -> Result<AccountRow, ServiceError> {
        let row = try transaction.callersRow(account)
        if try transaction.hasEnded(call.owner) { return .failure(try refusal(.sessionEnded)) }
        if try transaction.storedResponse(of: call.call) != nil { return .success(row) }
        if let nonce = proved.nonce, try !transaction.use(nonce) {
            return .failure(try refusal(.invalidNonce))
        }
        let known = try transaction.identity(lookUpKey: keys.lookUpKey(of: proved))
        let code = MethodRule.refusal(
            adding: proved.method, to: account, having: row.methods, known: known?.account)
        if let code { return .failure(try refusal(code)) }
        try add(to: row)
        try transaction.remember(call.call, StoredResponse(account: account.key))
        return .success(try transaction.callersRow(account))
    }

    private func add(to row: AccountRow) throws {
        let vault = try AccountReader(keys: keys, randomness: randomness).vault(row)
        try gainAddress(row, vault)
        try transaction.insert(
            NewIdentity(proved, of: account, key: randomness.rowKey(), vault, keys))
        try transaction.forgetRemoval(keys.lookUpKey(of: proved), from: account)
        if keepsGrants {
            try Grants(keys: keys, randomness: randomness)
                .exchange(proved, for: account, transaction)
        }
        try audit(.identityLinked)
        try NoticeMail(keys: keys, randomness: randomness).write(
            .methodAdded, to: account, call.device, naming: [proved.method], transaction)
    }

    private func gainAddress(_ row: AccountRow, _ vault: AccountVault) throws {
        guard let email = proved.email, email.isVerified else { return }
        let key = keys.lookUpKey(of: email.address)
        let gain = MethodRule.address(
            ownKey: row.address?.lookUpKey, isProved: row.address?.provedAt != nil, emailKey: key,
            isTaken: try transaction.owner(ofAddress: key) != nil)
        switch gain {
        case .none: return
        case .gained:
            try transaction.insert(
                NewAddress(
                    lookUpKey: key, sealed: try vault.seal(email.address.entered, .address),
                    isProved: true), of: account)
        case .proved:
            try transaction.setAddressProved(account)
            try transaction.removeLinks(.verifyEmail, of: account)
        }
        try audit(.emailVerified)
    }

    /// Records a rejection. Returns the error, which is thrown after the commit.
    private func refusal(_ code: ErrorCode) throws -> ServiceError {
        try audit(.linkingRefused, outcome: code)
        return ServiceError(code)
    }

    private func audit(_ kind: AuditKind, outcome: ErrorCode? = nil) throws {
        try transaction.audit(
            AuditEvent(
                kind, account: account.key, subject: keys.subject(of: proved),
                outcome: outcome
            ).from(call.origin))
    }
}
