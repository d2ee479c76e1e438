import Contracts
import ServiceRuntime
import Storage

/// Removes a sign-in method from an account, for its owner (G-14, N-01). The caller has judged
/// whether it may go, and ends sessions. The owner gets a notice, and the audit log an entry.
///
/// An unlinked identity stays unlinked until the owner links it again: its verified email no longer
/// leads to this account (`IdentityTables.removedIdentities`).
struct MethodRemoval: AccountWriting {
    let writer: AccountWriter
    let transaction: Transaction

    /// - Parameters:
    ///   - method: One of the account's.
    ///   - row: The account before it: the notice goes to the ways that it had.
    ///   - session: The session that removes it, "ses_…"; empty for none.
    /// - Throws: if the account's key does not decrypt, or sealing the notice fails.
    func run(
        _ method: SignInMethod, from row: AccountRow, _ device: DeviceShown, origin: CallOrigin,
        except session: String = ""
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
        try transaction.removeLinks(about: method, of: account)
        try transaction.audit(
            .identityUnlinked, account, detail: .method(method.name), from: origin,
            subject: subject)
        try notices.write(
            .methodRemoved, to: row, device, with: [.method(method)], except: session, transaction)
    }
}
