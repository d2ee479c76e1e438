/// The tables of phone codes and of changed numbers. They contain keyed hashes and integer keys,
/// and no phone numbers (Sources/SECURITY.md, Erasure).
enum PhoneCodeTables {
    /// `phone_codes.account`: the account whose session requested the code; null for a sign-in.
    static let sql = """
        CREATE TABLE phone_codes (
            code INTEGER PRIMARY KEY,
            number_key BLOB NOT NULL,
            purpose INTEGER NOT NULL,
            account INTEGER,
            code_hash BLOB NOT NULL,
            stage INTEGER NOT NULL,
            evaluated INTEGER NOT NULL,
            expires_at_ms INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX phone_codes_live ON phone_codes (number_key, purpose) WHERE stage = 1;
        CREATE INDEX phone_codes_by_account ON phone_codes (account) WHERE account IS NOT NULL;
        CREATE INDEX phone_codes_by_expiry ON phone_codes (expires_at_ms);
        CREATE TABLE number_changes (
            change INTEGER PRIMARY KEY AUTOINCREMENT,
            number_key BLOB NOT NULL,
            told_at_ms INTEGER NOT NULL,
            confirmed_at_ms INTEGER
        ) STRICT;
        CREATE UNIQUE INDEX number_changes_by_number ON number_changes (number_key);
        CREATE INDEX number_changes_by_age ON number_changes (told_at_ms);
        """
}
