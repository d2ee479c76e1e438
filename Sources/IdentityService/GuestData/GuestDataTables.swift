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
    static let guestMigrations = """
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
