import ServiceRuntime
import Storage

/// Addresses that their accounts do not own yet. Both tables have one row for each account, looked
/// up by the hash of the link's token. Both count password attempts before the comparison.
extension IdentityTables {
    /// The tables `email_changes` and `claims`.
    package static let pendingAddresses = """
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

/// A pending email change. An account has at most one; a newer one replaces it.
struct PendingEmailChange: Hashable, Sendable {
    let account: AccountID
    let tokenHash: [UInt8]
    /// Keyed hash of the new address.
    let addressKey: [UInt8]
    /// The new address as entered.
    let sealedAddress: [UInt8]
    let expiresAt: Timestamp
}

extension SQLSession {
    /// The pending change of a token; nil if it has expired or is void.
    func emailChange(
        tokenHash: [UInt8], at moment: Timestamp
    ) throws -> PendingEmailChange? {
        try queryOne(
            """
            SELECT account, token_hash, address_key, address, expires_at_ms FROM email_changes
            WHERE token_hash = ? AND expires_at_ms > ?
            """, [.blob(tokenHash), SQLValue(moment)]
        ) { row in
            PendingEmailChange(
                account: try AccountID(stored: row.integer("account")),
                tokenHash: try row.blob("token_hash"),
                addressKey: try row.blob("address_key"), sealedAddress: try row.blob("address"),
                expiresAt: try row.timestamp("expires_at_ms"))
        }
    }

    /// Whether a password may still be tried at a change's link (`countGuess`).
    func mayGuess(at change: PendingEmailChange) throws -> Bool {
        try queryOne(
            """
            SELECT attempts FROM email_changes
            WHERE account = ? AND token_hash = ? AND attempts < ?
            """,
            [
                .integer(change.account.key), .blob(change.tokenHash),
                .integer(LinkProof.attemptsMax),
            ]
        ) { try $0.integer(0) } != nil
    }

    /// The sealed address of an account's pending change; nil if there is none.
    func pendingChangeAddress(of account: AccountID, at moment: Timestamp) throws -> [UInt8]? {
        try queryOne(
            "SELECT address FROM email_changes WHERE account = ? AND expires_at_ms > ?",
            [.integer(account.key), SQLValue(moment)]
        ) { try $0.blob(0) }
    }
}

extension Transaction {
    /// Attempts at a former link count against the account's next link for this long. Otherwise an
    /// attacker who holds a session would get five more guesses at its password with each mail.
    private static var guessesCountFor: Duration { .seconds(900) }

    /// Inserts a change; the account's former change becomes void.
    func insert(_ change: PendingEmailChange) throws {
        try put(
            """
            INSERT INTO email_changes
                (account, token_hash, address_key, address, requested_at_ms, expires_at_ms)
            VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT (account) DO UPDATE SET
                token_hash = excluded.token_hash, address_key = excluded.address_key,
                address = excluded.address, expires_at_ms = excluded.expires_at_ms,
                attempts = CASE WHEN email_changes.requested_at_ms > ?
                    THEN email_changes.attempts ELSE 0 END,
                requested_at_ms = excluded.requested_at_ms
            """,
            [
                .integer(change.account.key), .blob(change.tokenHash), .blob(change.addressKey),
                .blob(change.sealedAddress), SQLValue(at), SQLValue(change.expiresAt),
                SQLValue(at - Self.guessesCountFor),
            ])
    }

    /// Counts a password attempt at a change's link, before the comparison.
    /// - Returns: false if the limit was reached before.
    func countGuess(at change: PendingEmailChange) throws -> Bool {
        try execute(
            """
            UPDATE email_changes SET attempts = attempts + 1
            WHERE account = ? AND token_hash = ? AND attempts < ?
            """,
            [
                .integer(change.account.key), .blob(change.tokenHash),
                .integer(LinkProof.attemptsMax),
            ]) == 1
    }

    /// Deletes an account's pending change.
    /// - Returns: false if there was none.
    func removeEmailChange(of account: AccountID) throws -> Bool {
        try execute(
            "DELETE FROM email_changes WHERE account = ?", [.integer(account.key)]) == 1
    }

    /// Deletes everything pending that could later give an account another address. After a reset,
    /// a takeover or another password, nothing from before may take effect (X-04, unexpired email
    /// change).
    func cancelPendingChanges(of account: AccountID) throws {
        _ = try removeEmailChange(of: account)
        try removeClaim(of: account)
    }

    /// Replaces an account's address by another one.
    /// - Throws: `SQLError` of kind `.constraint(.unique)` if it is taken.
    func replaceAddress(_ account: AccountID, by address: NewAddress) throws {
        try put("DELETE FROM email_addresses WHERE account = ?", [.integer(account.key)])
        try insert(address, of: account)
        try forgetVerificationSent(of: account)
    }
}
