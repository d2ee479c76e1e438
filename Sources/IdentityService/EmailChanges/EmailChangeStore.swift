import ServiceRuntime
import Storage

/// A change of address that waits for its link: one for an account, a newer one takes its place.
struct PendingEmailChange: Hashable, Sendable {
    let account: AccountID
    let tokenHash: [UInt8]
    /// Keyed hash of the new address.
    let addressKey: [UInt8]
    /// The new address as entered.
    let sealedAddress: [UInt8]
    let expiresAt: Timestamp
}

/// How many passwords may be typed at one link that has not been opened in its account's session
/// (I-06). More, and it is void: who reads the mail must not guess the password there.
enum LinkGuesses {
    static let attemptsMax: Int64 = 5
}

extension SQLSession {
    /// The change of a token, unless it has expired or is void.
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
                account: try AccountID(stored: row.integer(0)), tokenHash: try row.blob(1),
                addressKey: try row.blob(2), sealedAddress: try row.blob(3),
                expiresAt: try row.timestamp(4))
        }
    }

    /// The address that an account's change waits with; nil where none does.
    func pendingChangeAddress(of account: AccountID, at moment: Timestamp) throws -> [UInt8]? {
        try queryOne(
            "SELECT address FROM email_changes WHERE account = ? AND expires_at_ms > ?",
            [.integer(account.key), SQLValue(moment)]
        ) { try $0.blob(0) }
    }
}

extension Transaction {
    /// How long guesses at a change's link count against the account's next ones, too: who holds a
    /// session must not get five more at its password with each mail.
    private static var guessesCountFor: Duration { .seconds(900) }

    /// Writes a change; the account's former one is void.
    func insert(_ change: PendingEmailChange) throws {
        try execute(
            """
            INSERT INTO email_changes
                (account, token_hash, address_key, address, requested_at_ms, expires_at_ms)
            VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT (account) DO UPDATE SET
                token_hash = excluded.token_hash, address_key = excluded.address_key,
                address = excluded.address, expires_at_ms = excluded.expires_at_ms,
                attempts = CASE WHEN requested_at_ms > ? THEN attempts ELSE 0 END,
                requested_at_ms = excluded.requested_at_ms
            """,
            [
                .integer(change.account.key), .blob(change.tokenHash), .blob(change.addressKey),
                .blob(change.sealedAddress), SQLValue(at), SQLValue(change.expiresAt),
                SQLValue(at - Self.guessesCountFor),
            ])
    }

    /// Counts a password that was typed at a change's link, before it is compared.
    /// - Returns: false where there were too many already.
    func countGuess(at change: PendingEmailChange) throws -> Bool {
        try execute(
            """
            UPDATE email_changes SET attempts = attempts + 1
            WHERE account = ? AND token_hash = ? AND attempts < ?
            """,
            [
                .integer(change.account.key), .blob(change.tokenHash),
                .integer(LinkGuesses.attemptsMax),
            ]) == 1
    }

    /// Drops an account's change.
    /// - Returns: false where none waited.
    func removeEmailChange(of account: AccountID) throws -> Bool {
        try execute(
            "DELETE FROM email_changes WHERE account = ?", [.integer(account.key)]) == 1
    }

    /// Drops whatever would give an account another address later: what a reset, a takeover or
    /// another password leaves behind must change nothing (X-04, unexpired email change).
    func cancelPendingChanges(of account: AccountID) throws {
        _ = try removeEmailChange(of: account)
        try removeClaim(of: account)
    }

    /// Gives an account another address, which is proved.
    /// - Throws: `SQLError` of kind `.constraint(.unique)` when it is taken.
    func replaceAddress(_ account: AccountID, lookUpKey: [UInt8], sealed: [UInt8]) throws {
        try execute("DELETE FROM email_addresses WHERE account = ?", [.integer(account.key)])
        try insert(NewAddress(lookUpKey: lookUpKey, sealed: sealed, isProved: true), of: account)
    }
}
