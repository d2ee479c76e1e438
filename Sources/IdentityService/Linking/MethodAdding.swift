import Addresses
import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage

/// Links a proved identity, of a provider or a phone number, to the caller's account (G-14). The
/// owner gets a notice, and the audit log an entry. The account is not a guest
/// (`SessionOwners.ownerOfMethods`).
struct MethodAdding: AccountWriting, Sendable {
    let store: Store
    let writer: AccountWriter
    let grantEndpoints: GrantEndpoints
    let newcomers: NewcomerBytes

    /// - Throws: as `MethodRule`; `auth/session-ended`, `auth/missing-or-invalid-nonce`,
    ///   `auth/user-disabled`, `auth/idempotency-key-reused`; `auth/invalid-access-token` when the
    ///   account no longer exists.
    func add(_ proved: ProvedIdentity, _ call: MethodCall) async throws -> AccountRow {
        let outcome: Result<AccountRow, ServiceError>
        do {
            outcome = try await store.write(about: [.account(call.owner.account)]) { transaction in
                try write(proved, call, transaction)
            }
        } catch let error as SQLError where error.kind == .constraint(.unique) {
            // On a storage engine with several writers, another link can commit between the lookup
            // and the write.
            throw ServiceError(.credentialAlreadyInUse)
        }
        return try outcome.get()
    }

    /// - Returns: a rejection after it was recorded. It is thrown after the commit.
    private func write(
        _ proved: ProvedIdentity, _ call: MethodCall, _ transaction: Transaction
    ) throws -> Result<AccountRow, ServiceError> {
        let account = call.owner.account
        let row = try transaction.callersRow(account)
        func refusal(_ code: ErrorCode) throws -> ServiceError {
            try transaction.requireRoom(
                for: NewcomerBytes.callBytes, of: row.newcomer(at: transaction.at),
                from: call.origin, within: newcomers)
            try audit(.linkingRefused, proved, call, transaction, outcome: code)
            return ServiceError(code)
        }
        if try transaction.hasEnded(call.owner) { return .failure(try refusal(.sessionEnded)) }
        if try transaction.storedResponse(of: call.repeatable) != nil { return .success(row) }
        let known = try transaction.identity(lookUpKey: keys.lookUpKey(of: proved))
        let code = MethodRule.refusal(
            adding: proved.method, to: account, having: row.methods, known: known?.account)
        if let code { return .failure(try refusal(code)) }
        // After the refusals, so that a repeat of a refused call gets the same answer.
        if let nonce = proved.nonce, try !transaction.use(nonce) {
            return .failure(try refusal(.invalidNonce))
        }
        try add(proved, to: row, call, transaction)
        try transaction.remember(call.repeatable, .init(account: account.key))
        return .success(try transaction.callersRow(account))
    }

    private func add(
        _ proved: ProvedIdentity, to row: AccountRow, _ call: MethodCall, _ transaction: Transaction
    ) throws {
        let account = row.account
        let vault = try reader.vault(row)
        try gainAddress(proved, row, vault, call, transaction)
        try transaction.insert(
            NewIdentity(proved, of: account, key: randomness.rowKey(), vault, keys))
        try transaction.deleteRemoval(keys.lookUpKey(of: proved), from: account)
        try Grants(writer: writer).exchange(
            proved, at: grantEndpoints, for: account, transaction)
        try audit(.identityLinked, proved, call, transaction)
        try notices.write(
            .methodAdded, to: row, call.device, with: [.method(proved.method)],
            except: call.owner.session, about: proved.method.name, transaction)
    }

    private func gainAddress(
        _ proved: ProvedIdentity, _ row: AccountRow, _ vault: AccountVault, _ call: MethodCall,
        _ transaction: Transaction
    ) throws {
        let account = row.account
        guard let email = proved.email, email.isVerified else { return }
        let key = keys.lookUpKey(of: email.address)
        let gain = MethodRule.address(
            ownKey: row.address?.lookUpKey, isProved: row.address?.provedAt != nil, emailKey: key,
            isTaken: try transaction.owner(ofAddress: key) != nil)
        switch gain {
        case .none: return
        case .gained:
            try transaction.insert(
                NewAddress(email.address, isProved: true, vault, keys), of: account)
        case .proved:
            try transaction.setAddressProved(account)
            try transaction.removeLinks(.verifyEmail, of: account)
        }
        try audit(.emailVerified, proved, call, transaction)
    }

    private func audit(
        _ kind: AuditKind, _ proved: ProvedIdentity, _ call: MethodCall,
        _ transaction: Transaction, outcome: ErrorCode? = nil
    ) throws {
        try audit(
            kind, proved, of: call.owner.account, from: call.origin, outcome: outcome, transaction)
    }
}

/// The validated request data of a change to an account's sign-in methods.
struct MethodCall: Sendable {
    /// The session that made the call. It is kept when the account's other sessions end.
    let owner: SessionOwner
    let origin: CallOrigin
    let device: DeviceShown
    /// For idempotent retries; nil when the call carries no key.
    let repeatable: RepeatableCall?

    /// A call of `owner`.
    /// - Parameter device: The one that the request names.
    init(
        of owner: SessionOwner, from origin: CallOrigin, on device: GatewayV1.Device?,
        _ repeatable: RepeatableCall?
    ) {
        self.owner = owner
        self.origin = origin
        self.device = DeviceShown(device, from: origin)
        self.repeatable = repeatable
    }
}

extension SessionOwners {
    /// The account and session of a call that changes sign-in methods. A recent proof is required.
    ///
    /// A guest is rejected: it signs up or in with its token, which ends its session and opens
    /// another one (G-07). Attack: somebody who copied the guest's tokens, or planted them on a
    /// borrowed phone, would keep a session of the full account.
    /// - Throws: `auth/operation-not-allowed` for a guest; otherwise as `owner` and `require`.
    func ownerOfMethods(in context: CallContext) async throws -> SessionOwner {
        let known = try await known(in: context)
        guard !known.isGuest else { throw ServiceError(.operationNotAllowed) }
        try known.require(.standard)
        return known.owner
    }
}
