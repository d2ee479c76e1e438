import CallRecords
import EmailAddresses
import ServiceRuntime
import Storage

/// The owner of an address has arrived, and the account that held it had never proved it: whatever
/// can open the account now may be a stranger's, and goes, in the transaction in which the owner is
/// let in. The account's id, profile and documents stay.
///
///     goes                                         attack that it stops (Sudhodanan & Paverd 2022)
///     the password                                 classic-federated merge
///     identities at providers, the phone number    trojan identifier
///     links, codes and changes that are under way  unexpired email change
///     sessions, proofs not yet used                unexpired session
///     devices that take push messages              the same, by what they are shown
///     devices that are known (G-08)                a sign-in from the stranger's goes unnoticed
///
/// Whoever adds a table by which an account can be opened adds its line to `clear`; by which it is
/// about to be, to `voidWhatIsUnderWay`.
struct Takeover {
    let parts: IdentityParts
    let transaction: Transaction

    /// Takes everything away.
    /// - Returns: the ways of signing in that went, as the owner is told of them.
    func run(_ row: AccountRow, origin: CallOrigin) throws -> [String] {
        let account = row.account
        try transaction.removePassword(of: account)
        try clear(account)
        try transaction.endSessions(of: account, provedUntil: transaction.at, parts)
        try transaction.audit(
            AuditEvent(.accountTakenOver, account: account.key).from(origin))
        return row.methods
    }

    /// The same, where the owner proves the address by a link from a mail and sets a password with
    /// it, which replaces the stranger's and ends all sessions: identities go, and the phone number.
    /// Attack (trojan identifier): a stranger signs up with your address, links an identity of their
    /// own, and comes back by it after you have set a password.
    func removeIdentities(
        _ row: AccountRow, _ device: DeviceShown, origin: CallOrigin
    ) throws {
        let account = row.account
        let removed = row.methods.filter { $0 != "password" }
        try clear(account)
        guard !removed.isEmpty else { return }
        try transaction.audit(
            AuditEvent(.accountTakenOver, account: account.key).from(origin))
        try NoticeMail(parts: parts).write(
            .addressClaimed, to: account, device, naming: removed,
            at: transaction.at.milliseconds, key: IdentityOutbox(parts: parts).newKey(),
            transaction)
    }

    /// What both take away: all but the password and the sessions.
    private func clear(_ account: AccountID) throws {
        try Grants(parts: parts).revoke(of: account, transaction)
        try transaction.removeIdentities(of: account)
        try transaction.forgetRemovals(from: account)
        try transaction.removeKnownDevices(of: account)
        try transaction.voidWhatIsUnderWay(of: account)
        try transaction.enqueue(IdentityOutbox(parts: parts).revokeDevices(account))
    }

    /// Notes that the account's address is proved, as its owner writes it: a mail server may tell
    /// `Ada@` from `ada@`, and the spelling until now was the stranger's. An account that waited for
    /// this is active from now on.
    func prove(_ address: EmailAddress, of row: AccountRow) throws {
        let vault = try AccountReader(parts: parts).vault(row)
        try transaction.setAddressProved(
            row.account, sealed: try vault.seal(address.entered, .address))
        try transaction.audit(AuditEvent(.emailVerified, account: row.account.key))
    }
}
