package import IdentityService
import Messages
package import ServiceRuntime
package import Storage

/// Decides what happens to a guest's documents when the guest signs in to an account, and writes it
/// in the transaction of the sign-in, or of the user's choice (G-16, G-27):
///
///     the guest has             setting    written                              the answer has
///     no document, no photo     any        the guest's deletion                 no collision
///     a document or a photo     discard    the guest's deletion                 the choice
///     a document or a photo     merge      a migration, which the job performs  the choice
///     a document or a photo     keep       when the guest is deleted            the choice
///     a document or a photo     ask        nothing                              a choice token
///     chosen into this account  any        nothing                              the first choice
///     chosen into another one   any        nothing                              no collision
///
/// A sign-in does not fail for any of it, and a migration does its work after it. From a
/// choice on, the guest's documents can only be read (`requireNoChoice`).
package struct GuestSettlement: GuestDocuments {
    /// How long a kept guest can be read.
    static let keptFor: Duration = .seconds(30 * 24 * 3_600)

    let mode: GuestDataMode
    let keys: IdentityKeys
    let randomness: any Randomness
    let deletions: any PendingDeletions
    /// Wakes the job that moves documents.
    let job: WakeSignal

    /// The guests of one store.
    /// - Parameters:
    ///   - deletions: Deletes the guests whose documents are not kept.
    ///   - job: Wakes the job that moves documents.
    package init(
        mode: GuestDataMode, keys: IdentityKeys, randomness: any Randomness,
        deletions: any PendingDeletions, job: WakeSignal
    ) {
        self.mode = mode
        self.keys = keys
        self.randomness = randomness
        self.deletions = deletions
        self.job = job
    }

    /// Settles the guest that signed in to an account; nil without one. An account's session is
    /// ignored, and so is one that ended while the password was compared or hashed.
    /// - Throws: `SQLError`; when sealing fails.
    package func settle(
        _ caller: CallingSession?, afterSignInTo account: AccountID, from origin: CallOrigin,
        _ transaction: Transaction
    ) throws -> SettledGuest? {
        guard case .success(let owner)? = caller?.owner, owner.account != account,
            try !transaction.hasEnded(owner),
            let guest = try transaction.account(owner.account), guest.isGuest
        else { return nil }
        return SettledGuest(
            collision: try collision(of: guest, with: account, from: origin, transaction),
            row: try transaction.account(guest.account))
    }

    /// The collision of a sign-in by a guest, with ids only; nil if there is nothing to tell.
    private func collision(
        of guest: AccountRow, with account: AccountID, from origin: CallOrigin,
        _ transaction: Transaction
    ) throws -> GatewayV1.Collision? {
        try transaction.lock(.account(account))
        try transaction.lock(.account(guest.account))
        if let first = try transaction.migration(ofGuest: guest.account) {
            return first.account == account ? Self.collision(first) : nil
        }
        let totals = try transaction.documentOwner(guest.account)?.totals ?? DocumentTotals()
        guard totals.documents > 0 || guest.photo != nil else {
            try delete(guest.account, transaction)
            return nil
        }
        guard let choice = mode.choice else {
            return try CollisionChoice(
                guest: guest.account, generation: guest.sessionGeneration, account: account,
                at: transaction.at
            ).message(keys)
        }
        return Self.collision(
            try write(
                choice, for: guest.account, into: account, sealedPicks: nil, from: origin,
                as: MigrationID.drawn(from: randomness), transaction))
    }

    /// Writes a choice, and what follows from it at once.
    /// - Parameters:
    ///   - sealedPicks: The picked sides, sealed for the row of `migration`; nil for none.
    ///   - migration: The id of the new migration.
    func write(
        _ choice: GuestDataChoice, for guest: AccountID, into account: AccountID,
        sealedPicks: [UInt8]?, from origin: CallOrigin, as migration: MigrationID,
        _ transaction: Transaction
    ) throws -> StoredMigration {
        let documents = try transaction.documentOwner(guest)?.totals.documents ?? 0
        let stored = StoredMigration(
            migration: migration, account: account, guest: guest, choice: choice,
            state: choice == .merge ? .waiting : .succeeded,
            documents: choice == .merge ? documents : 0, done: 0, sealedPicks: sealedPicks,
            keptUntil: choice == .keep ? transaction.at + Self.keptFor : nil,
            createdAt: transaction.at, changedAt: transaction.at)
        try transaction.insert(
            stored,
            expiresAt: choice == .discard ? transaction.at + StoredMigration.keptAfter : nil)
        try transaction.audit(
            AuditEvent(.guestDataChosen, account: account.key, attempt: choice.rawValue)
                .from(origin))
        if choice == .discard { try delete(guest, transaction) }
        return stored
    }

    /// - Throws: `SQLError`.
    package func release(_ guest: AccountID, _ transaction: Transaction) throws {
        try transaction.releaseGuest(guest)
    }

    /// Begins the deletion of a guest.
    func delete(_ guest: AccountID, _ transaction: Transaction) throws {
        try deletions.begin(of: guest, source: .guestData, waits: false, transaction)
    }

    /// Wakes what a choice may have given work. To be called after its commit.
    package func wake() {
        job.wake()
        deletions.wake()
    }

    private static func collision(_ migration: StoredMigration) -> GatewayV1.Collision {
        GatewayV1.Collision(
            guest: GatewayV1.Account(accountId: migration.guest?.text ?? ""),
            choice: migration.choice?.message ?? .unspecified, migration: migration.message())
    }
}
