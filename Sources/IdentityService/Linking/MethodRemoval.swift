import CallRecords
import ServiceRuntime
import Storage

/// Takes a way of signing in away from the account that asks, never the last one (G-14). Told and
/// recorded.
///
/// All other sessions end, as with a change of the password: who takes a way of signing in away may
/// do so because somebody else had it, and which session was opened by which way is not known here.
///
/// An identity that goes stays out until its owner links it again: what it proves of an email does not
/// lead to this account any more (`RemovedIdentityTables`).
///
/// Two that go at once are decided one after the other, so that of the last two one stays.
struct MethodRemoval: Sendable {
    let parts: IdentityParts

    /// - Throws: as `MethodRule`; `auth/session-ended`, `auth/user-disabled`,
    ///   `auth/idempotency-key-reused`.
    func remove(_ method: String, _ call: MethodCall) async throws -> AccountRow {
        let outcome: Result<AccountRow, ServiceError> = try await parts.store.write {
            transaction in
            let row = try Self.row(call.owner.account, transaction)
            try transaction.requireLive(call.owner)
            if try transaction.storedResponse(of: call.call) != nil { return .success(row) }
            if let code = MethodRule.refusal(removing: method, from: row.methods) {
                try transaction.audit(
                    AuditEvent(.linkingRefused, account: row.account.key, outcome: code)
                        .from(call.origin))
                return .failure(ServiceError(code))
            }
            try remove(method, from: row, call, transaction)
            try transaction.remember(call.call, StoredResponse(account: row.account.key))
            return .success(try Self.row(row.account, transaction))
        }
        return try outcome.get()
    }

    private func remove(
        _ method: String, from row: AccountRow, _ call: MethodCall, _ transaction: Transaction
    ) throws {
        let account = row.account
        if method == "password" {
            try transaction.removePassword(of: account)
            // A link to set a new one is on its way for the old one.
            try transaction.removeLinks(.resetPassword, of: account)
        }
        var subject: [UInt8]?
        for identity in try transaction.identities(of: account) where identity.method == method {
            let text = try AccountReader(parts: parts).vault(row)
                .open(identity.sealedDetails, .identityDetails(identity.identity))
            let details = try IdentityDetails(text: text)
            subject = parts.keys.subject(of: details)
            // A phone tells no email, so nothing would link it by itself.
            if identity.method != "phone" {
                try transaction.noteRemoval(parts.keys.lookUpKey(of: details), from: account)
            }
            try Grants(parts: parts).revoke(of: account, identity: identity.identity, transaction)
            try transaction.removeIdentity(identity.identity)
        }
        try transaction.audit(
            AuditEvent(.identityUnlinked, account: account.key, subject: subject)
                .from(call.origin))
        try transaction.endSessions(
            of: account, provedUntil: transaction.at, except: call.owner.session, parts)
        try NoticeMail(parts: parts).write(
            .methodRemoved, to: account, call.device, naming: [method],
            at: transaction.at.milliseconds, key: IdentityOutbox(parts: parts).newKey(),
            transaction)
    }

    private static func row(_ account: AccountID, _ transaction: Transaction) throws -> AccountRow {
        guard let row = try transaction.account(account) else {
            throw ServiceError(.invalidAccessToken)
        }
        guard row.status.isUsable else { throw ServiceError(.accountDisabled) }
        return row
    }
}
