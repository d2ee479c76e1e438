/// The schema of the identity service. `PersonalData` and `AccountLife` add theirs in extensions,
/// and `IdentityAssembly` makes one list of migrations of all.
///
/// Keys are integers, and addresses are looked up by keyed hashes, because SQLite leaves deleted
/// text keys behind in its pages. Personal data is sealed under the account's key
/// (Sources/SECURITY.md, Erasure).
package enum IdentityTables {
    /// Accounts, their keys, profiles, addresses, passwords and links. A row of `accounts` is
    /// inserted by Accounts/NewAccount.swift or AccountLife/Imports/ImportStore.swift, and read as
    /// `AccountRow` (Accounts/AccountRow.swift).
    package static let accounts = """
        CREATE TABLE accounts (
            account INTEGER PRIMARY KEY,
            status INTEGER NOT NULL,
            created_at_ms INTEGER NOT NULL,
            last_sign_in_at_ms INTEGER
        ) STRICT;
        CREATE TABLE account_keys (
            account INTEGER PRIMARY KEY REFERENCES accounts,
            sealed_key BLOB NOT NULL
        ) STRICT;
        CREATE TABLE profiles (
            account INTEGER PRIMARY KEY REFERENCES accounts,
            display_name BLOB NOT NULL,
            language TEXT NOT NULL
        ) STRICT;
        CREATE TABLE email_addresses (
            account INTEGER PRIMARY KEY REFERENCES accounts,
            look_up_key BLOB NOT NULL,
            address BLOB NOT NULL,
            held_at_ms INTEGER NOT NULL,
            proved_at_ms INTEGER
        ) STRICT;
        CREATE UNIQUE INDEX email_addresses_by_look_up_key
            ON email_addresses (look_up_key);
        CREATE TABLE passwords (
            account INTEGER PRIMARY KEY REFERENCES accounts,
            hash BLOB NOT NULL,
            changed_at_ms INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE links (
            link INTEGER PRIMARY KEY,
            token_hash BLOB NOT NULL,
            purpose INTEGER NOT NULL,
            account INTEGER NOT NULL REFERENCES accounts,
            address_key BLOB NOT NULL,
            expires_at_ms INTEGER NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX links_by_token_hash ON links (token_hash);
        CREATE INDEX links_by_account ON links (account);
        CREATE INDEX links_by_expiry ON links (expires_at_ms);
        """

    /// On a server a deleted row stays in its table until it is cleared away. Here that is within a
    /// minute or two: with its key an account's data could be read.
    package static let accountKeyPages = """
        ALTER TABLE account_keys SET (
            autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 0);
        """

    /// Recent notices to owners, for the caps that stop attackers from flooding them (`NoticeRule`).
    /// `kind` is a `MailTemplate.noticeKind`.
    package static let notices = """
        CREATE TABLE notices (
            notice INTEGER PRIMARY KEY AUTOINCREMENT,
            account INTEGER NOT NULL,
            kind INTEGER NOT NULL,
            mailed_at_ms INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX notices_by_account ON notices (account, kind);
        """

    /// Identities at providers and phone numbers, looked up by a keyed hash of issuer and subject;
    /// used nonces; and the flag for guests, which are accounts without a sign-in method.
    package static let identities = """
        CREATE TABLE identities (
            identity INTEGER PRIMARY KEY,
            account INTEGER NOT NULL REFERENCES accounts,
            look_up_key BLOB NOT NULL,
            method TEXT NOT NULL,
            details BLOB NOT NULL,
            sealed_grant BLOB,
            linked_at_ms INTEGER NOT NULL,
            last_used_at_ms INTEGER
        ) STRICT;
        CREATE UNIQUE INDEX identities_by_look_up_key ON identities (look_up_key);
        CREATE INDEX identities_by_account ON identities (account, method);
        CREATE TABLE used_nonces (
            nonce INTEGER PRIMARY KEY AUTOINCREMENT,
            nonce_key BLOB NOT NULL,
            expires_at_ms INTEGER NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX used_nonces_by_key ON used_nonces (nonce_key);
        CREATE INDEX used_nonces_by_expiry ON used_nonces (expires_at_ms);
        ALTER TABLE accounts ADD COLUMN is_guest INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE profiles ADD COLUMN photo_url BLOB;
        """
}
