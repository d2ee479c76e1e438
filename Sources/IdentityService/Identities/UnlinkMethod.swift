import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage

extension IdentitiesHandler {
    /// Unlinks a sign-in method from the caller's account, but never the last one (G-14). The owner
    /// gets a notice, and the audit log an entry.
    ///
    /// All other sessions end, as after a password change. The owner may be removing the method
    /// because an attacker used it, and the identity service does not know which session was opened
    /// with which method.
    ///
    /// An unlinked identity stays unlinked until the owner links it again: its verified email no
    /// longer leads to this account (`IdentityTables.removedIdentities`).
    ///
    /// Two concurrent removals are serialized, so that one of the last two methods remains.
    func unlinkMethod(
        _ request: GatewayV1.UnlinkMethodRequest, _ call: OwnerCall
    ) async throws -> GatewayV1.UnlinkMethodResponse {
        try call.known.require(.standard)
        let removal = MethodCall(
            of: call.owner, from: call.frame.origin, on: request.device, call.frame.repeatable)
        let outcome = try await store.write(about: [.account(call.owner.account)]) {
            try removed(SignInMethod(name: request.method), removal, $0)
        }
        return GatewayV1.UnlinkMethodResponse(
            account: try await answers.account(try outcome.get()))
    }

    private func removed(
        _ method: SignInMethod, _ call: MethodCall, _ transaction: Transaction
    ) throws -> Result<AccountRow, ServiceError> {
        let row = try transaction.callersRow(call.owner.account)
        try transaction.requireLive(call.owner)
        if try transaction.storedResponse(of: call.repeatable) != nil { return .success(row) }
        if let code = MethodRule.refusal(removing: method, from: row.methods) {
            try transaction.requireRoom(
                for: NewcomerBytes.callBytes, of: row.newcomer(at: transaction.at),
                from: call.origin, within: settings.newcomers)
            // A name that the account does not have is the caller's own text.
            let detail = row.methods.contains(method) ? AuditDetail.method(method.name) : nil
            try transaction.audit(
                .linkingRefused, row.account, detail: detail, from: call.origin, outcome: code)
            return .failure(ServiceError(code))
        }
        try remove(method, from: row, call, transaction)
        try transaction.remember(call.repeatable, .init(account: row.account.key))
        return .success(try transaction.callersRow(row.account))
    }

    private func remove(
        _ method: SignInMethod, from row: AccountRow, _ call: MethodCall,
        _ transaction: Transaction
    ) throws {
        let account = row.account
        if method == .password {
            try transaction.removePassword(of: account)
            // Pending reset links belong to the removed password.
            try transaction.removeLinks(.resetPassword, of: account)
        }
        var subject: [UInt8]?
        for identity in try transaction.identities(of: account) where identity.method == method {
            let text = try reader.vault(row)
                .open(identity.sealedDetails, .identityDetails(identity.identity))
            let details = try IdentityDetails(text: text)
            subject = keys.subject(of: details)
            // A phone identity has no email, so no sign-in could link it again automatically.
            if identity.method != .phone {
                try transaction.recordRemoval(keys.lookUpKey(of: details), from: account)
            }
            try Grants(writer: writer).revoke(of: account, identity: identity.identity, transaction)
            try transaction.removeIdentity(identity.identity)
        }
        try transaction.audit(
            .identityUnlinked, account, detail: .method(method.name), from: call.origin,
            subject: subject)
        try transaction.endSessions(
            of: account, provedUntil: transaction.at, except: call.owner.session, outbox)
        try notices.write(
            .methodRemoved, to: account, call.device, with: [.method(method)], transaction)
    }
}

extension GatewayV1.UnlinkMethodRequest: DeviceRequest {}
