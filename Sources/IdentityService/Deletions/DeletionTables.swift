/// Deletions that wait or are under way (G-19, G-20).
///
/// A row outlives its account, so it refers to none. What the later steps need to know of a person
/// is in `payload`, sealed under a key of this row: with the row goes the key, and what backups
/// have of the payload is unreadable then. `keep_link` is the keyed hash of the mailed link that
/// cancels.
extension IdentityTables {
    static let deletions = """
        CREATE TABLE deletions (
            account INTEGER PRIMARY KEY,
            step INTEGER NOT NULL,
            source TEXT NOT NULL,
            requested_at_ms INTEGER NOT NULL,
            due_at_ms INTEGER NOT NULL,
            begun_at_ms INTEGER,
            next_attempt_at_ms INTEGER NOT NULL,
            attempts INTEGER NOT NULL,
            sealed_key BLOB NOT NULL,
            payload BLOB NOT NULL,
            keep_link BLOB,
            is_backend_done INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX deletions_by_attempt ON deletions (next_attempt_at_ms);
        CREATE INDEX deletions_by_request ON deletions (requested_at_ms, account);
        CREATE UNIQUE INDEX deletions_by_keep_link ON deletions (keep_link);
        """
}
