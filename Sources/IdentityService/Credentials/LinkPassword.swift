import Contracts
import Cryptography
import Messages
import RPC
import ServiceRuntime
import Storage

extension CredentialsHandler {
    /// Adds a password to the caller's account, which has none (G-14): checks the session, decides
    /// by `MethodRule`, checks policy and leaks, hashes, writes. The owner gets a notice.
    ///
    /// The other sessions stay, as with any added method: nothing that was valid is taken away.
    /// Pending reset links become void, since they would replace this password.
    ///
    /// A password that is disowned counts as none, so it is replaced. A repeat has to bring the same
    /// password: its fingerprint has none.
    func linkPassword(
        _ request: GatewayV1.LinkPasswordRequest, _ context: CallContext
    ) async throws -> GatewayV1.LinkPasswordResponse {
        try passwords.requireOn()
        let owner = try await owners.ownerOfMethods(in: context)
        let call = MethodCall(
            of: owner, from: CallOrigin(context, on: request.device, keys), on: request.device,
            try RepeatableCall(
                CredentialsDescription.linkPassword, request, by: owner.account.text, context,
                keys))
        let row: AccountRow = try await untilUnchanged {
            if try await store.storedResponse(of: call.repeatable, at: time.now()) != nil {
                return try await again(request.password, call)
            }
            return try await link(request.password, call)
        }
        return GatewayV1.LinkPasswordResponse(account: try await answers.account(row))
    }

    /// - Returns: the account, with the password; nil if it has changed meanwhile.
    private func link(_ entered: SecretBytes, _ call: MethodCall) async throws -> AccountRow? {
        let row = try await store.read { try $0.callersRow(call.owner.account) }
        // What is refused by the account's state costs no look-up and no hash.
        guard MethodRule.refusal(addingPasswordTo: row) == nil else {
            return try await write(nil, to: row, call)?.get()
        }
        let new = try await passwords.new(
            entered, by: settings.passwordPolicy,
            try reader.passwordContext(row, app: settings.appName))
        let hash = try await passwords.hash(new, try reader.vault(row))
        return try await write(hash, to: row, call)?.get()
    }

    /// - Parameters:
    ///   - hash: The sealed hash; nil if `checked` may not have a password.
    ///   - checked: The account for which the password was checked.
    /// - Returns: nil if the account has changed since, or a first call was committed; a rejection
    ///   after it was recorded, which is thrown after the commit.
    private func write(
        _ hash: [UInt8]?, to checked: AccountRow, _ call: MethodCall
    ) async throws -> Result<AccountRow, ServiceError>? {
        try await store.write(about: [.account(checked.account)]) { transaction in
            let row = try transaction.callersRow(checked.account)
            if try transaction.hasEnded(call.owner) {
                return .failure(try refusal(.sessionEnded, of: row, call, transaction))
            }
            guard try transaction.storedResponse(of: call.repeatable) == nil else { return nil }
            if let code = MethodRule.refusal(addingPasswordTo: row) {
                return .failure(try refusal(code, of: row, call, transaction))
            }
            // The policy knows the address.
            guard let hash, row.address?.lookUpKey == checked.address?.lookUpKey else {
                return nil
            }
            return .success(try add(hash, to: row, call, transaction))
        }
    }

    private func add(
        _ hash: [UInt8], to row: AccountRow, _ call: MethodCall, _ transaction: Transaction
    ) throws -> AccountRow {
        let account = row.account
        let method = SignInMethod.password
        try transaction.setPassword(account, sealedHash: hash)
        try transaction.removeLinks(.resetPassword, of: account)
        try transaction.audit(
            .identityLinked, account, detail: .method(method.name), from: call.origin)
        try notices.write(
            .methodAdded, to: row, call.device, with: [.method(method)],
            except: call.owner.session, about: method.name, transaction)
        let new = try transaction.callersRow(account)
        try transaction.remember(call.repeatable, .init(repeatedByPasswordOf: new))
        return new
    }

    private func refusal(
        _ code: ErrorCode, of row: AccountRow, _ call: MethodCall, _ transaction: Transaction
    ) throws -> ServiceError {
        try transaction.refusal(
            code, .linkingRefused, of: row, detail: .method(SignInMethod.password.name),
            from: call.origin, within: settings.newcomers)
    }

    /// A repeat of a call that was committed (G-25).
    /// - Throws: `auth/idempotency-key-reused` for another password than the account's.
    private func again(_ entered: SecretBytes, _ call: MethodCall) async throws -> AccountRow {
        let account = call.owner.account
        let holder = try await store.read { try $0.passwordHolder(account) }
        guard let holder else { throw ServiceError(.invalidAccessToken) }
        try await passwords.require(of: account, repeating: call.repeatable) {
            try await passwords.isRight(entered, of: holder)
        }
        return holder.row
    }
}
