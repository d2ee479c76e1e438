import Addresses
import Contracts
import ServiceRuntime
import Storage

/// Gives an account to the verified owner of its address, when the previous holder never verified
/// that address. Every credential of the account may belong to an attacker, so all are removed in
/// the transaction that signs the owner in. The account keeps its id, profile, photo and
/// documents: they open nothing, and the previous holder is often the owner, who never opened the
/// mailed link. The name is the provider's from then on.
///
///     removed                                      attack that it stops (Sudhodanan & Paverd 2022)
///     the password                                 classic-federated merge
///     identities at providers, the phone number    trojan identifier
///     pending links, codes and changes             unexpired email change
///     sessions, unused proofs                      unexpired session
///     devices that receive push messages           the same, through the messages' content
///     second factors, recovery codes (F-03)        a stranger's factor, which would lock the owner
///                                                  out
///     passkeys (F-01)                              a stranger's passkey, which outlives a reset
///     known devices and places (G-08)              unnoticed sign-in from the attacker's device
///     consents, which are withdrawn (G-23)         an agreement in the owner's name
///     the birth date that is kept (G-23)           a stranger's age in the owner's export
///     the parent, whose link becomes invalid       a stranger who signs up in the owner's name as
///                                                  a child, and refuses as its parent: the account
///                                                  would be deleted
///     a deletion that waits (G-19)                 an account that vanishes a week later
///     an export (G-21)                             a stranger's data in the owner's hands, and a
///                                                  deletion that waits for that archive
///
/// The need of a parent stays, for seven days from the takeover: nothing tells the owner from a
/// child who takes over the own account (`Transaction.forgetParent`, `AgeGate.admitOwner`).
///
/// A new table of credentials must be added to `clear`; a new table of pending credentials to
/// `voidPendingState`.
struct Takeover: AccountWriting {
    let writer: AccountWriter
    let transaction: Transaction

    /// Removes all credentials and ends all sessions.
    /// - Returns: the removed sign-in methods, for the notice to the owner.
    func run(_ row: AccountRow, origin: CallOrigin) throws -> [SignInMethod] {
        let account = row.account
        try transaction.removePassword(of: account)
        try clear(account, origin: origin)
        try transaction.endSessions(of: account, provedUntil: transaction.at, outbox)
        try transaction.audit(
            AuditEvent(.accountTakenOver, account: account.key).from(origin))
        return row.methods
    }

    /// The variant for an owner who verifies the address with a mailed link and sets a password
    /// with it. The new password replaces the old one and ends all sessions; this function removes
    /// identities and the phone number. Attack (trojan identifier): an attacker registers your
    /// address, links their own identity, and signs in with it after you have set a password.
    func removeIdentities(
        _ row: AccountRow, _ device: DeviceShown, origin: CallOrigin
    ) throws {
        let account = row.account
        let removed = row.methods.filter { $0 != .password }
        try clear(account, origin: origin)
        guard !removed.isEmpty else { return }
        try transaction.audit(
            AuditEvent(.accountTakenOver, account: account.key).from(origin))
        try notices.write(
            .addressClaimed, to: account, device, with: [.methods(removed)], transaction)
    }

    /// The part that both share: everything except the password and the sessions.
    private func clear(_ account: AccountID, origin: CallOrigin) throws {
        try Grants(writer: writer).revoke(of: account, transaction)
        try transaction.removeIdentities(of: account)
        try transaction.deleteRemovals(from: account)
        try transaction.removeSecondFactors(of: account)
        try transaction.removePasskeys(of: account)
        try transaction.removeKnownDevices(of: account)
        try transaction.withdrawConsents(of: account)
        try transaction.forgetAge(of: account)
        try transaction.forgetParent(of: account, until: transaction.at + AgeGate.parentLife)
        try transaction.voidPendingState(of: account)
        try writer.deletions.cancel(of: account, from: origin, transaction)
        try writer.exports.cancel(of: account, from: origin, transaction)
        try transaction.enqueue(outbox.revokeDevices(account))
    }

    /// Marks the account's address as verified, in the owner's spelling: a mail server may treat
    /// `Ada@` and `ada@` as different mailboxes, and the stored spelling came from the previous
    /// holder. An account that waited for this verification becomes active.
    func prove(_ address: EmailAddress, of row: AccountRow, origin: CallOrigin) throws {
        let vault = try reader.vault(row)
        try transaction.setAddressProved(
            row.account, sealed: try vault.seal(address.entered, .address))
        try transaction.audit(.emailVerified, row.account, from: origin)
    }
}
