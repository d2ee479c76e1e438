import ServiceRuntime
import Storage

/// What a sign-up under strict enumeration leaves: an address that its account does not have yet,
/// and the password that is to open it, waiting together for the first proof (Sources/SECURITY.md,
/// Enumeration). An address can have many, an account one.
///
/// A claim that lost lives on without its link until it expires: if it went, the stranger who made
/// it would learn from his own guest account that the address's owner has been here.
struct Claim: Hashable, Sendable {
    /// On one address; the oldest gives way. More than an owner could make by mistake, and too few
    /// to fill the store.
    static let perAddressMax: Int64 = 32

    let account: AccountID
    /// Keyed hash of its link's token; nil where the address has become another account's.
    let tokenHash: [UInt8]?
    /// Keyed hash of the address.
    let addressKey: [UInt8]
    /// As entered.
    let sealedAddress: [UInt8]
    let sealedPasswordHash: [UInt8]
    let expiresAt: Timestamp
}

extension SQLSession {
    /// The claim of a link's token, unless it has expired or lost.
    func claim(tokenHash: [UInt8], at moment: Timestamp) throws -> Claim? {
        try queryOne(
            "SELECT \(Claim.columns) FROM claims WHERE token_hash = ? AND expires_at_ms > ?",
            [.blob(tokenHash), SQLValue(moment)], Claim.init)
    }

    /// An account's claim, won or lost, unless it has expired.
    func claim(of account: AccountID, at moment: Timestamp) throws -> Claim? {
        try queryOne(
            "SELECT \(Claim.columns) FROM claims WHERE account = ? AND expires_at_ms > ?",
            [.integer(account.key), SQLValue(moment)], Claim.init)
    }
}

extension Transaction {
    /// Writes a claim; the account's former one is void, and so is the oldest where the address has
    /// too many.
    func insert(_ claim: Claim) throws {
        try removeClaim(of: claim.account)
        try execute(
            """
            DELETE FROM claims WHERE account IN (
                SELECT account FROM claims WHERE address_key = ?
                ORDER BY claimed_at_ms DESC LIMIT -1 OFFSET ?)
            """, [.blob(claim.addressKey), .integer(Claim.perAddressMax - 1)])
        try execute(
            """
            INSERT INTO claims (account, token_hash, address_key, address, password_hash,
                claimed_at_ms, expires_at_ms)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """,
            [
                .integer(claim.account.key), SQLValue(claim.tokenHash), .blob(claim.addressKey),
                .blob(claim.sealedAddress), .blob(claim.sealedPasswordHash), SQLValue(at),
                SQLValue(claim.expiresAt),
            ])
    }

    /// Gives a claim another link; the former one is void.
    func relink(_ claim: Claim, tokenHash: [UInt8], expiresAt: Timestamp) throws {
        try execute(
            "UPDATE claims SET token_hash = ?, attempts = 0, expires_at_ms = ? WHERE account = ?",
            [.blob(tokenHash), SQLValue(expiresAt), .integer(claim.account.key)])
    }

    /// Counts a password that was typed at a claim's link, before it is compared.
    /// - Returns: false where there were too many already.
    func countGuess(at claim: Claim) throws -> Bool {
        try execute(
            """
            UPDATE claims SET attempts = attempts + 1
            WHERE account = ? AND token_hash = ? AND attempts < ?
            """,
            [
                .integer(claim.account.key), SQLValue(claim.tokenHash),
                .integer(LinkGuesses.attemptsMax),
            ]) == 1
    }

    /// Drops an account's claim.
    func removeClaim(of account: AccountID) throws {
        try execute("DELETE FROM claims WHERE account = ?", [.integer(account.key)])
    }

    /// The address has become an account's: no claim on it can be proved any more. For whoever lets
    /// an account own an address.
    func voidClaims(on addressKey: [UInt8]) throws {
        try execute(
            "UPDATE claims SET token_hash = NULL WHERE address_key = ?", [.blob(addressKey)])
    }

    /// Drops what has expired of both kinds of addresses that wait, a few at once.
    /// - Returns: how many went.
    func sweepPendingAddresses(atMost count: Int64) throws -> Int {
        try ["claims", "email_changes"].reduce(0) { swept, table in
            try swept
                + execute(
                    """
                    DELETE FROM \(table) WHERE account IN (
                        SELECT account FROM \(table) WHERE expires_at_ms <= ?
                        ORDER BY expires_at_ms LIMIT ?)
                    """, [SQLValue(at), .integer(count)])
        }
    }
}

extension Claim {
    fileprivate static let columns =
        "account, token_hash, address_key, address, password_hash, expires_at_ms"

    fileprivate init(_ row: SQLRow) throws {
        account = try AccountID(stored: row.integer(0))
        tokenHash = try row.optionalBlob(1)
        addressKey = try row.blob(2)
        sealedAddress = try row.blob(3)
        sealedPasswordHash = try row.blob(4)
        expiresAt = try row.timestamp(5)
    }
}
