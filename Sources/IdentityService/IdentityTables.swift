package import Storage

/// The schema of the identity service.
///
/// Keys are integers, and addresses are looked up by keyed hashes, because SQLite leaves deleted
/// text keys behind in its pages. Personal data is sealed under the account's key
/// (Sources/SECURITY.md, Erasure).
package enum IdentityTables {
    /// The migrations from an empty store, for `Store.init`.
    package static let migrations = [
        // A row of `accounts` is inserted by Accounts/NewAccount.swift or Imports/ImportStore.swift,
        // and read as `AccountRow` (Accounts/AccountRow.swift).
        Migration(
            number: 1,
            sql: """
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
                """),
        // Recent mails to owners, for the rate limit that stops attackers from flooding an inbox
        // (`NoticeRule`). `kind` is a `MailTemplate.noticeKind`.
        Migration(
            number: 2,
            sql: """
                CREATE TABLE notices (
                    notice INTEGER PRIMARY KEY AUTOINCREMENT,
                    account INTEGER NOT NULL,
                    kind INTEGER NOT NULL,
                    mailed_at_ms INTEGER NOT NULL
                ) STRICT;
                CREATE INDEX notices_by_account ON notices (account, kind);
                """),
        Migration(number: 3, sql: identities),  // below
        Migration(number: 4, sql: oneOfEachMethod),  // Linking/LinkingStore.swift
        Migration(number: 5, sql: phoneCodes),  // PhoneCodes/PhoneCode.swift
        Migration(number: 6, sql: pendingAddresses),  // EmailChanges/EmailChangeStore.swift
        Migration(number: 7, sql: providerNotices),  // ProviderEvents/ProviderEventsHandler.swift
        Migration(number: 8, sql: imports),  // Imports/ImportStore.swift
        // Accounts/AccountStatusRule.swift, AccountAdmin/AdminStore.swift,
        // SignInHistory/SignInRecorder.swift
        Migration(number: 9, sql: accountStatus + suspensions + knownDevices),
        // Linking/LinkingStore.swift, Calls/SessionsEnd.swift
        Migration(number: 10, sql: removedIdentities + sessionsEnd),
        Migration(number: 11, sql: sessionGeneration),  // Calls/SessionsEnd.swift
        Migration(number: 12, sql: documents),  // Documents/DocumentTables.swift
        Migration(number: 13, sql: photos),  // Profiles/PhotoStore.swift
        Migration(number: 14, sql: onboarding),  // Onboarding/OnboardingRecord.swift
        Migration(number: 15, sql: consents),  // Consents/Consents.swift
        Migration(number: 16, sql: guestMigrations),  // GuestData/StoredMigration.swift
        // Consents/AgeGate.swift, Consents/ParentalConsentStore.swift
        Migration(number: 17, sql: ages + parentalConsents),
        Migration(number: 18, sql: deletions),  // Deletions/DeletionStore.swift
        Migration(number: 19, sql: exports),  // Exports/ExportStore.swift
        Migration(number: guestsMigration, sql: guests),  // UnusedGuests/UnusedGuestSearch.swift
        Migration(number: 21, sql: unrequestedMails),  // AccountNotices/UnrequestedMail.swift
        Migration(number: 22, sql: guesses),  // Accounts/SettleGuesses.swift
        Migration(number: 23, sql: parentalConsentEnds),  // Consents/ParentalConsentStore.swift
        // Documents/DocumentAudit.swift, Newcomers/NewcomerBytes.swift
        Migration(number: 24, sql: documentChanges + NewcomerBytes.table),
    ]

    /// Identities at providers and phone numbers, looked up by a keyed hash of issuer and subject;
    /// used nonces; and the flag for guests, which are accounts without a sign-in method.
    private static let identities = """
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
