import CallRecords
import Messages
import ServiceRuntime
import Storage

/// A guest becomes a full account, with its id and all it has (G-07), by the way of signing in that
/// is written in the same transaction.
///
/// Its sessions end: the sign-in opens another one, and a guest has no second device. Attack
/// (unexpired session): somebody opens the app on a borrowed phone, keeps the guest's refresh token,
/// and waits until the phone's owner signs up in it.
struct GuestUpgrade {
    let parts: IdentityParts
    let transaction: Transaction

    /// - Parameter session: The one that stays, "ses_…", where no other is opened; empty for none.
    /// - Throws: `auth/already-signed-in` where it is no guest.
    func run(_ row: AccountRow, origin: CallOrigin, except session: String = "") throws {
        guard try transaction.endGuest(row.account) else { throw ServiceError(.alreadySignedIn) }
        try transaction.enqueue(
            IdentityOutbox(parts: parts).endAccount(
                row.account, provedUntil: transaction.at, except: session, reason: .signedOut))
        try transaction.audit(
            AuditEvent(.guestUpgraded, account: row.account.key).from(origin))
    }
}
