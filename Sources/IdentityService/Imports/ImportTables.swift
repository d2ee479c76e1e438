/// The tables for imported accounts.
enum ImportTables {
    /// External ids, looked up by a keyed hash of system and id; custom claims; the parameters that
    /// the hashes of a Firebase project share, stored once; the scheme of each password hash that
    /// is not ours, with an index of these hashes only; and the schemes that our own hashes ever
    /// had.
    static let foreignAccounts = """
        CREATE TABLE hash_parameters (
            parameters INTEGER PRIMARY KEY,
            look_up_key BLOB NOT NULL,
            sealed BLOB NOT NULL,
            kept_at_ms INTEGER NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX hash_parameters_by_look_up_key ON hash_parameters (look_up_key);
        CREATE TABLE imported_accounts (
            account INTEGER PRIMARY KEY REFERENCES accounts,
            look_up_key BLOB NOT NULL,
            external_id BLOB NOT NULL,
            imported_at_ms INTEGER NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX imported_accounts_by_look_up_key ON imported_accounts (look_up_key);
        CREATE TABLE custom_claims (
            account INTEGER PRIMARY KEY REFERENCES accounts,
            document BLOB NOT NULL
        ) STRICT;
        ALTER TABLE passwords ADD COLUMN scheme TEXT;
        CREATE INDEX passwords_by_scheme ON passwords (scheme) WHERE scheme IS NOT NULL;
        CREATE TABLE own_password_schemes (
            scheme INTEGER PRIMARY KEY AUTOINCREMENT,
            name TEXT NOT NULL
        ) STRICT;
        """
}
