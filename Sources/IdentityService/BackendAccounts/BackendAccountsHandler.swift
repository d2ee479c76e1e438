import Addresses
import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage

/// `postern.gateway.v1.BackendAccounts`, and `postern.identity.v1.ManagedAccounts` for the two calls
/// that the gateway composes: accounts in the hands of the app's backend (I-10).
///
/// Attack: somebody has taken the gateway over, which sees the calls of backends and may make any.
/// A link to set a password opens any account, so each of these calls has a token that only the
/// backend can make (`BackendCalls`), also those that change little.
///
/// None of them touches a second factor or a passkey: who has a backend's key still meets the gate
/// of an account that has one (`SignInGate`).
struct BackendAccountsHandler:
    IdentityBackendAccountsService, ManagedAccountsService, AccountCallsHandler, AccountWriting
{
    let store: Store
    let passwords: PasswordCheck
    let time: any Time
    let answers: AccountAnswers
    let calls: AccountCalls

    var writer: AccountWriter { answers.writer }
    var settings: IdentitySettings { answers.settings }

    /// Deletes an account as an operator does (`PendingDeletions.request`). A repeat shows how far
    /// the deletion is, and does not begin another one after it was cancelled.
    func deleteManagedAccount(
        _ request: GatewayV1.DeleteManagedAccountRequest, _ call: AccountCall
    ) async throws -> GatewayV1.DeleteAccountResponse {
        let deletion = try await store.write(about: [.account(call.account)]) { transaction in
            if try transaction.storedResponse(of: call.repeatable) != nil {
                return try writer.deletions.current(of: call.account, in: transaction)
            }
            let requested = try writer.deletions.request(
                of: call.account, waits: request.wait, transaction
            ) { $0.from(call.origin).by(call.backend?.actor) }
            guard let requested else { throw ServiceError.noManagedAccount }
            try transaction.remember(call.repeatable, .init(account: call.account.key))
            return requested
        }
        writer.deletions.wake()
        return GatewayV1.DeleteAccountResponse(deletion: deletion)
    }

    /// Replaces an account's roles and claims (I-10, `AccountClaimsWriter`). A repeat gets the version
    /// of the first call, whatever was set since.
    func setAccountClaims(
        _ request: GatewayV1.SetAccountClaimsRequest, _ call: AccountCall
    ) async throws -> GatewayV1.SetAccountClaimsResponse {
        let claims = try AccountClaims.checked(roles: request.roles, json: request.claimsJson)
        let endsSessions = try request.effect.endsSessions()
        var base: Int64?
        if case .baseVersion(let version) = request.base { base = version }
        let event = call.event(.claimsSetByBackend)
        let version = try await store.write(about: [.account(call.account)]) {
            [base] transaction in
            if let first = try transaction.storedResponse(of: call.repeatable) {
                return first.claimsVersion
            }
            _ = try transaction.managedRow(call.account)
            let version = try AccountClaimsWriter(writer: writer).set(
                claims, of: call.account, base: base, endSessions: endsSessions, transaction)
            try transaction.audit(event)
            try transaction.remember(
                call.repeatable, .init(account: call.account.key, claimsVersion: version))
            return version
        }
        return GatewayV1.SetAccountClaimsResponse(version: version)
    }

    /// Reads an account's roles and claims.
    func getAccountClaims(
        _ request: GatewayV1.GetAccountClaimsRequest, _ call: AccountCall
    ) async throws -> GatewayV1.GetAccountClaimsResponse {
        let row = try await store.read { try $0.managedRow(call.account) }
        let found = try reader.claims(of: row)
        return GatewayV1.GetAccountClaimsResponse(
            roles: found?.claims.roles ?? [], claimsJson: found?.claims.json ?? "",
            version: found?.version ?? 0)
    }
}

extension GatewayV1.CreateAccountRequest: BackendRequest {}
extension GatewayV1.ChangeAccountRequest: BackendRequest {}
extension GatewayV1.DeleteManagedAccountRequest: BackendRequest {}
extension GatewayV1.SetAccountClaimsRequest: BackendRequest {}
extension GatewayV1.GetAccountClaimsRequest: BackendRequest {}
extension GatewayV1.IssueLinkRequest: BackendRequest {}

extension GatewayV1.ClaimsEffect {
    /// Whether the account's sessions end too.
    /// - Throws: `rpc/invalid-argument` for a value that this build does not know: it may be one that
    ///   takes a role away sooner.
    fileprivate func endsSessions() throws(ServiceError) -> Bool {
        switch self {
        case .unspecified, .nextRefresh: false
        case .atOnce: true
        default: throw ServiceError(.invalidArgument, fields: ["effect"])
        }
    }
}

extension AccountCall {
    /// An event of the trail that a backend causes, with its name.
    func event(_ kind: AuditKind, detail: AuditDetail? = nil) -> AuditEvent {
        AuditEvent(kind, account: account.key, detail: detail).from(origin).by(backend?.actor)
    }
}

extension ServiceError {
    /// A backend names an account that does not exist, or is being deleted.
    static let noManagedAccount = ServiceError(.notFound, fields: ["call.account_id"])
}

extension SQLSession {
    /// The row of an account that a backend reads or changes; a suspended one too.
    /// - Throws: `rpc/not-found` if there is none, or if it is being deleted.
    func managedRow(_ account: AccountID) throws -> AccountRow {
        guard let row = try self.account(account), row.status != .deleting else {
            throw ServiceError.noManagedAccount
        }
        return row
    }
}

extension PhoneSettings {
    /// Requires that codes can be sent to a number, so that it is a way to sign in.
    /// - Throws: as `PhoneSettings.Countries.refusal`, with the field.
    func require(_ number: PhoneNumber) throws(ServiceError) {
        guard test(number) == nil, let code = refusal(of: number) else { return }
        throw ServiceError(code, fields: ["phone_number"])
    }
}
