/// The schema that profiles and photos add to the identity service.
extension IdentityTables {
    /// When the owner set the name or the photo here; null as long as both are the provider's.
    ///
    /// It is not known who gave the names from before. Those of accounts with a password or from an
    /// import may have been typed, so no provider replaces them.
    static let photos = """
        ALTER TABLE profiles ADD COLUMN name_edited_at_ms INTEGER;
        ALTER TABLE profiles ADD COLUMN photo_edited_at_ms INTEGER;
        UPDATE profiles SET name_edited_at_ms = 0
            WHERE account IN (SELECT account FROM passwords)
                OR account IN (SELECT account FROM imported_accounts);
        UPDATE profiles SET photo_edited_at_ms = 0
            WHERE photo_url IS NOT NULL
                AND account IN (SELECT account FROM imported_accounts);
        CREATE TABLE photos (
            photo INTEGER PRIMARY KEY,
            account INTEGER NOT NULL REFERENCES accounts,
            name_key BLOB NOT NULL,
            name BLOB NOT NULL,
            hash BLOB NOT NULL,
            content_type TEXT NOT NULL,
            width INTEGER NOT NULL,
            height INTEGER NOT NULL,
            bytes INTEGER NOT NULL,
            uploaded_at_ms INTEGER NOT NULL,
            blob TEXT NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX photos_by_account ON photos (account);
        CREATE UNIQUE INDEX photos_by_blob ON photos (blob);
        CREATE UNIQUE INDEX photos_by_name_key ON photos (name_key);
        """
}
