package import IdentityService
import Messages
package import ServiceRuntime
import Storage

/// A row of `guest_migrations`: what was chosen for a guest, or a bundle that an app has uploaded.
/// Only `merge` and bundles move documents; `keep` and `discard` are stored so that a repeat of the
/// choice finds the first one.
package struct StoredMigration: Hashable, Sendable {
    /// Its id.
    package let migration: MigrationID
    /// The account that gets the documents.
    let account: AccountID
    /// The guest that they are of; nil for a bundle, and when the guest became an account.
    let guest: AccountID?
    /// Nil for a bundle.
    package let choice: GuestDataChoice?
    /// Where it stands.
    package let state: MigrationState
    /// Number of documents to move.
    package let documents: Int64
    /// Number of those that are done.
    package let done: Int64
    /// The picked sides, sealed; nil for none.
    let sealedPicks: [UInt8]?
    /// When a kept guest is deleted; nil for any other, and once its deletion has begun.
    let keptUntil: Timestamp?
    /// When it began.
    package let createdAt: Timestamp
    /// When it went on last.
    package let changedAt: Timestamp

    /// How long callers can read a migration that has succeeded.
    static let keptAfter: Duration = .seconds(30 * 24 * 3_600)

    /// A condition on a row of `accounts`: documents of this guest are still to be moved. The states
    /// are `.waiting`, `.running` and `.needsAttention`.
    package static let isUnderWay = """
        EXISTS (
            SELECT 1 FROM guest_migrations
            WHERE guest_migrations.guest = accounts.account
                AND guest_migrations.state IN (1, 2, 4))
        """

    /// What two flows about this migration must not do at once.
    var subjects: [Subject] { [.account(account)] + (guest.map { [.account($0)] } ?? []) }

    /// The migration as a message.
    func message(issues: [GatewayV1.MigrationIssue] = []) -> GatewayV1.Migration {
        GatewayV1.Migration(
            migrationId: migration.text,
            state: GatewayV1.MigrationState(rawValue: Int32(state.rawValue)),
            choice: choice?.message ?? .unspecified, documents: UInt32(clamping: documents),
            done: UInt32(clamping: done), issues: issues, createdAtMs: createdAt.milliseconds,
            changedAtMs: changedAt.milliseconds)
    }
}

extension StoredMigration {
    /// Migrations that ended long ago, and bundles whose upload broke off, with their documents.
    static let purge = Purge { session, now in
        try session.queryOne(
            "SELECT 1 FROM guest_migrations WHERE expires_at_ms < ? LIMIT 1", [SQLValue(now)]
        ) { _ in true } ?? false
    } remove: { transaction, rowsMax in
        try transaction.removeExpiredMigrations(limit: rowsMax)
    }
}

extension Transaction {
    /// Locks the accounts of expired migrations and looks again, since documents and migration go
    /// by two statements: a migration that its owner renews in between would lose the documents.
    /// - Returns: how many migrations were deleted.
    fileprivate func removeExpiredMigrations(limit: Int) throws -> Int {
        let expired = try locked {
            try query(
                """
                SELECT migration, account FROM guest_migrations WHERE expires_at_ms < ?
                ORDER BY expires_at_ms, migration LIMIT ?
                """, [SQLValue(at), .integer(Int64(limit))]
            ) { ExpiredMigration(key: try $0.integer(0), account: try $0.integer(1)) }
        } about: {
            // In one order for all, against deadlocks.
            $0.map(\.account).sorted().map { .account($0) }
        }
        for migration in expired {
            try put(
                "DELETE FROM guest_migration_documents WHERE migration = ?",
                [.integer(migration.key)])
            try put(
                "DELETE FROM guest_migrations WHERE migration = ? AND expires_at_ms < ?",
                [.integer(migration.key), SQLValue(at)])
        }
        return expired.count
    }
}

/// What the purge reads of a migration.
private struct ExpiredMigration: Equatable {
    let key: Int64
    let account: Int64
}

/// Migrations of guests' documents (G-16).
///
/// A row of `guest_migrations` is a choice that was made, or a bundle that was uploaded. `guest`
/// has no reference: the row outlives the guest, so that a repeat of the choice finds it. `picks`
/// has the sides that were chosen, sealed under the account's key.
///
/// A row of `guest_migration_documents` is a document of a bundle that is not in the account yet,
/// with its JSON, or one of a guest that could not be moved, without. `payload` is sealed under the
/// account's key; `issue` is the error's code. A document that was moved has no row here any more,
/// and none at the guest, so a step that is repeated after a crash finds the next one.
extension IdentityTables {
    /// The tables `guest_migrations` and `guest_migration_documents`.
    package static let guestMigrations = """
        CREATE TABLE guest_migrations (
            migration INTEGER PRIMARY KEY,
            account INTEGER NOT NULL REFERENCES accounts,
            guest INTEGER,
            choice INTEGER NOT NULL,
            state INTEGER NOT NULL,
            documents INTEGER NOT NULL,
            done INTEGER NOT NULL,
            picks BLOB,
            kept_until_ms INTEGER,
            created_at_ms INTEGER NOT NULL,
            changed_at_ms INTEGER NOT NULL,
            expires_at_ms INTEGER
        ) STRICT;
        CREATE UNIQUE INDEX guest_migrations_by_guest ON guest_migrations (guest);
        CREATE INDEX guest_migrations_by_account ON guest_migrations (account, created_at_ms);
        CREATE INDEX guest_migrations_by_state ON guest_migrations (state, migration);
        CREATE INDEX guest_migrations_by_kept_until ON guest_migrations (kept_until_ms);
        CREATE INDEX guest_migrations_by_expiry ON guest_migrations (expires_at_ms);
        CREATE TABLE guest_migration_documents (
            item INTEGER PRIMARY KEY,
            account INTEGER NOT NULL REFERENCES accounts,
            migration INTEGER NOT NULL REFERENCES guest_migrations,
            document INTEGER,
            payload BLOB NOT NULL,
            bytes INTEGER NOT NULL,
            changed_at_ms INTEGER NOT NULL,
            issue TEXT
        ) STRICT;
        CREATE UNIQUE INDEX guest_migration_documents_by_document
            ON guest_migration_documents (document);
        CREATE INDEX guest_migration_documents_by_migration
            ON guest_migration_documents (migration, item);
        CREATE INDEX guest_migration_documents_by_account ON guest_migration_documents (account);
        """
}
