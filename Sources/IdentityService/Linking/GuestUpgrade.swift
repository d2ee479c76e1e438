import Messages
import RPC
import ServiceRuntime
import Storage

/// Turns a guest into a full account, which keeps its id and its data (G-07). The same transaction
/// writes the new sign-in method.
///
/// The guest's sessions end. The sign-in opens a new one, and a guest has no second device. Attack
/// (unexpired session): an attacker opens the app on a borrowed phone, keeps the guest's refresh
/// token, and waits until the phone's owner signs up in the app.
struct GuestUpgrade: AccountWriting {
    let writer: AccountWriter
    let transaction: Transaction

    /// - Throws: `auth/already-signed-in` when the account is not an active guest.
    func run(_ row: AccountRow, origin: CallOrigin) throws {
        guard try transaction.endGuest(row.account, from: origin, writer) else {
            throw ServiceError(.alreadySignedIn)
        }
        // An address that the attacker claimed on the borrowed phone must not become a sign-in
        // method later.
        try transaction.cancelPendingChanges(of: row.account)
        try transaction.unaskParent(of: row.account, until: transaction.at + AgeGate.parentLife)
        try transaction.endSessions(
            of: row.account, provedUntil: transaction.at, reason: .signedOut, outbox)
        try transaction.audit(
            AuditEvent(.guestUpgraded, account: row.account.key).from(origin))
    }

    /// Upgrades by email and password. The guest gets the draft's address and password, and the
    /// draft's name if it has none of its own.
    /// - Throws: as the other `run`; `SQLError` of kind `.constraint(.unique)` when the address is
    ///   taken.
    func run(_ row: AccountRow, into draft: NewAccount, origin: CallOrigin) throws {
        try run(row, origin: origin)
        if let address = draft.address { try transaction.insert(address, of: row.account) }
        if let hash = draft.sealedPasswordHash {
            try transaction.setPassword(row.account, sealedHash: hash)
        }
        let vault = try reader.vault(row)
        let isNamed = try !vault.open(row.sealedDisplayName, .displayName).isEmpty
        try transaction.fillProfile(
            row.account, sealedDisplayName: isNamed ? nil : draft.sealedDisplayName,
            isNameTyped: draft.isNameTyped, sealedPhotoURL: draft.sealedPhotoURL)
        try transaction.setLastSignIn(row.account)
        // The same rule as for a registration without a guest. Otherwise anybody could register any
        // address without verification by starting as a guest.
        if draft.status == .pendingVerification {
            try transaction.apply(.awaitVerification, row.account)
        }
    }
}

/// A guest whose session made the call.
struct GuestSession: Sendable {
    /// The row as it was read before the transaction.
    let row: AccountRow
    /// Its session. The writing transaction checks it again, because it may have ended in the
    /// meantime (`SessionsEnd`).
    let owner: SessionOwner
}

extension CallingSession {
    /// The guest whose session made the call.
    /// - Throws: `auth/already-signed-in` for a full account; otherwise as `SessionOwners.owner`.
    func guest(in store: Store) async throws -> GuestSession {
        let owner = try owner.get()
        let row = try await store.account(owner.account)
        guard row.isGuest else { throw ServiceError(.alreadySignedIn) }
        return GuestSession(row: row, owner: owner)
    }
}
