/// Addresses that their accounts do not own yet. Both tables have one row for each account, looked
/// up by the hash of the link's token. Both count password attempts before the comparison.
enum EmailTables {
    static let sql = """
        CREATE TABLE email_changes (
            account INTEGER PRIMARY KEY REFERENCES accounts,
            token_hash BLOB NOT NULL,
            address_key BLOB NOT NULL,
            address BLOB NOT NULL,
            attempts INTEGER NOT NULL DEFAULT 0,
            requested_at_ms INTEGER NOT NULL,
            expires_at_ms INTEGER NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX email_changes_by_token_hash ON email_changes (token_hash);
        CREATE INDEX email_changes_by_expiry ON email_changes (expires_at_ms);
        CREATE TABLE claims (
            account INTEGER PRIMARY KEY REFERENCES accounts,
            token_hash BLOB,
            address_key BLOB NOT NULL,
            address BLOB NOT NULL,
            password_hash BLOB NOT NULL,
            attempts INTEGER NOT NULL DEFAULT 0,
            claimed_at_ms INTEGER NOT NULL,
            expires_at_ms INTEGER NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX claims_by_token_hash ON claims (token_hash);
        CREATE INDEX claims_by_address_key ON claims (address_key, claimed_at_ms);
        CREATE INDEX claims_by_expiry ON claims (expires_at_ms);
        """
}
