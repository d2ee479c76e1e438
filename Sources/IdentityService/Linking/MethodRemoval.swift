import ServiceRuntime
import Storage

/// Unlinks a sign-in method from the caller's account, but never the last one (G-14). The owner
/// gets a notice, and the audit log an entry.
///
/// All other sessions end, as after a password change. The owner may be removing the method because
/// an attacker used it, and the identity service does not know which session was opened with which
/// method.
///
/// An unlinked identity stays unlinked until the owner links it again: its verified email no longer
/// leads to this account (`RemovedIdentityTables`).
///
/// Two concurrent removals are serialized, so that one of the last two methods remains.
struct MethodRemoval: Sendable {
    let parts: IdentityParts

    /// - Throws: as `MethodRule`; `auth/session-ended`, `auth/user-disabled`,
    ///   `auth/idempotency-key-reused`; `auth/invalid-access-token` when the account no longer
    ///   exists.
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
            // Pending reset links belong to the removed password.
            try transaction.removeLinks(.resetPassword, of: account)
        }
        var subject: [UInt8]?
        for identity in try transaction.identities(of: account) where identity.method == method {
            let text = try AccountReader(parts: parts).vault(row)
                .open(identity.sealedDetails, .identityDetails(identity.identity))
            let details = try IdentityDetails(text: text)
            subject = parts.keys.subject(of: details)
            // A phone identity has no email, so no sign-in could link it again automatically.
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
