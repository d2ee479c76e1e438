/// Exports of accounts' data, one an account at most (G-21). The archive is in a blob, in parts
/// that are sealed under the account's key.
///
/// An expired row is purged, and `BlobSweep` removes the file that then has no row.
extension IdentityTables {
    /// `next_attempt_at_ms` is null for an export that is ready; `blob` is null for one that is
    /// being prepared. `fetched_by` has the sessions that fetched it, the latest last, with a space
    /// between them; null for none. The mailed link is in `links`.
    static let exports = """
        CREATE TABLE exports (
            export INTEGER PRIMARY KEY,
            account INTEGER NOT NULL REFERENCES accounts,
            state INTEGER NOT NULL,
            requested_at_ms INTEGER NOT NULL,
            voice TEXT NOT NULL,
            attempts INTEGER NOT NULL,
            next_attempt_at_ms INTEGER,
            blob TEXT,
            bytes INTEGER NOT NULL,
            expires_at_ms INTEGER NOT NULL,
            fetched_by TEXT
        ) STRICT;
        CREATE UNIQUE INDEX exports_by_account ON exports (account);
        CREATE UNIQUE INDEX exports_by_blob ON exports (blob);
        CREATE INDEX exports_by_expiry ON exports (expires_at_ms);
        CREATE INDEX exports_by_next_attempt ON exports (next_attempt_at_ms);
        """
}
