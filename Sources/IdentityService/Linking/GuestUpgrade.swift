import CallRecords
import Messages
import RPC
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

    /// - Throws: `auth/already-signed-in` where it is no guest.
    func run(_ row: AccountRow, origin: CallOrigin) throws {
        guard try transaction.endGuest(row.account) else { throw ServiceError(.alreadySignedIn) }
        // An address that was claimed on the borrowed phone must not become a way in later.
        try transaction.cancelPendingChanges(of: row.account)
        try transaction.endSessions(
            of: row.account, provedUntil: transaction.at, reason: .signedOut, parts)
        try transaction.audit(
            AuditEvent(.guestUpgraded, account: row.account.key).from(origin))
    }

    /// The same, by email and password: the draft's address and password become the guest's, and its
    /// name where the guest has none.
    func run(_ row: AccountRow, into draft: NewAccount, origin: CallOrigin) throws {
        try run(row, origin: origin)
        if let address = draft.address { try transaction.insert(address, of: row.account) }
        if let hash = draft.sealedPasswordHash {
            try transaction.setPassword(row.account, sealedHash: hash)
        }
        let vault = try AccountReader(parts: parts).vault(row)
        let isNamed = try !vault.open(row.sealedDisplayName, .displayName).isEmpty
        try transaction.fillProfile(
            row.account, sealedDisplayName: isNamed ? nil : draft.sealedDisplayName,
            sealedPhotoURL: draft.sealedPhotoURL)
        try transaction.setLastSignIn(row.account)
        // As for who was no guest: else anybody could sign up with any address through a guest.
        if draft.status == .pendingVerification {
            try transaction.apply(.awaitVerification, row.account)
        }
    }
}

/// A guest whose session asks.
struct GuestSession: Sendable {
    /// As it was when it asked.
    let row: AccountRow
    /// Its session: asked for in the transaction that writes, since it may have ended meanwhile
    /// (`SessionsEnd`).
    let owner: SessionOwner
}

extension SessionOwners {
    /// The guest whose session asks; nil for no access token.
    /// - Throws: `auth/already-signed-in` for who is no guest, and as `owner`.
    func guest(of accessToken: String, _ context: CallContext) async throws -> GuestSession? {
        guard !accessToken.isEmpty else { return nil }
        let owner = try await owner(of: accessToken, context)
        let row = try await AccountReader(parts: parts).account(owner.account)
        guard row.isGuest else { throw ServiceError(.alreadySignedIn) }
        return GuestSession(row: row, owner: owner)
    }
}
