import ServiceRuntime
import Storage

/// The schema of the consents of parents.
extension IdentityTables {
    /// One row for each account that needs or needed one. The link's token is not in `links`: it
    /// opens no account, works more than once, and survives the reset of a password.
    static let parentalConsents = """
        CREATE TABLE parental_consents (
            account INTEGER PRIMARY KEY REFERENCES accounts,
            state INTEGER NOT NULL,
            parent_email BLOB,
            token_hash BLOB,
            changed_at_ms INTEGER NOT NULL,
            expires_at_ms INTEGER
        ) STRICT;
        CREATE UNIQUE INDEX parental_consents_by_token_hash ON parental_consents (token_hash);
        CREATE INDEX parental_consents_by_expiry ON parental_consents (expires_at_ms);
        """
}

/// The consent of a parent, as it is stored.
struct ParentalConsent: Hashable, Sendable {
    /// The last component of the path of the link (`LinkPurpose.path`).
    static let page = "parent"

    let account: AccountID
    let state: ParentalConsentState
    /// The parent's address, as the child entered it; nil before anyone is asked.
    let sealedParent: [UInt8]?
    /// Keyed hash of the link's token; nil before anyone is asked.
    let tokenHash: [UInt8]?
    /// When the state changed, or the last link was mailed.
    let changedAt: Timestamp
    /// When the account's deletion begins without an answer; nil once there is one, and for the
    /// owner of an address who has taken the account over and asked no parent yet.
    let expiresAt: Timestamp?
}

extension ParentalConsent {
    fileprivate static let columns =
        "account, state, parent_email, token_hash, changed_at_ms, expires_at_ms"

    fileprivate init(_ row: SQLRow) throws {
        account = try AccountID(stored: row.integer("account"))
        state = try ParentalConsentState(stored: row.integer("state"))
        sealedParent = try row.optionalBlob("parent_email")
        tokenHash = try row.optionalBlob("token_hash")
        changedAt = try row.timestamp("changed_at_ms")
        expiresAt = try row.optionalTimestamp("expires_at_ms")
    }
}

extension ParentalConsentState {
    /// The state of a stored number.
    /// - Throws: `SQLError` of kind `.unexpectedValue`.
    init(stored number: Int64) throws(SQLError) {
        guard let state = ParentalConsentState(rawValue: number) else {
            throw SQLError(.unexpectedValue, detail: "parental_consents.state \(number)")
        }
        self = state
    }
}

extension SQLSession {
    /// The consent of a parent that an account needs; nil if it needs none.
    func parentalConsent(of account: AccountID) throws -> ParentalConsent? {
        try queryOne(
            "SELECT \(ParentalConsent.columns) FROM parental_consents WHERE account = ?",
            [.integer(account.key)], ParentalConsent.init)
    }

    /// The consent that the token of a link is about; nil if another link has replaced it.
    func parentalConsent(tokenHash: [UInt8]) throws -> ParentalConsent? {
        try queryOne(
            "SELECT \(ParentalConsent.columns) FROM parental_consents WHERE token_hash = ?",
            [.blob(tokenHash)], ParentalConsent.init)
    }

    /// The accounts whose time is over, the oldest first.
    func overdueParentalConsents(at moment: Timestamp, limit: Int64) throws -> [AccountID] {
        try query(
            """
            SELECT account FROM parental_consents WHERE expires_at_ms <= ?
            ORDER BY expires_at_ms LIMIT ?
            """, [SQLValue(moment), .integer(limit)]
        ) { try AccountID(stored: $0.integer(0)) }
    }
}

extension Transaction {
    /// Records that an account needs the consent of a parent. What an earlier sign-up of a guest has
    /// recorded stays.
    func needParent(of account: AccountID, until end: Timestamp) throws {
        try put(
            """
            INSERT INTO parental_consents (account, state, changed_at_ms, expires_at_ms)
            VALUES (?, ?, ?, ?) ON CONFLICT (account) DO NOTHING
            """,
            [
                .integer(account.key), .integer(ParentalConsentState.needed.rawValue),
                SQLValue(at), SQLValue(end),
            ])
    }

    /// Records that a parent is asked; a former link becomes invalid.
    func askParent(
        of account: AccountID, sealedParent: [UInt8], tokenHash: [UInt8], until end: Timestamp
    ) throws {
        try put(
            """
            UPDATE parental_consents SET state = ?, parent_email = ?, token_hash = ?,
                changed_at_ms = ?, expires_at_ms = ?
            WHERE account = ?
            """,
            [
                .integer(ParentalConsentState.requested.rawValue), .blob(sealedParent),
                .blob(tokenHash), SQLValue(at), SQLValue(end), .integer(account.key),
            ])
    }

    /// Records an answer, which ends the wait.
    func answerParent(of account: AccountID, _ state: ParentalConsentState) throws {
        try put(
            """
            UPDATE parental_consents SET state = ?, changed_at_ms = ?, expires_at_ms = NULL
            WHERE account = ?
            """,
            [.integer(state.rawValue), SQLValue(at), .integer(account.key)])
    }

    /// At a takeover: what was asked and answered was in another person's name. The need of a parent
    /// stays, since a child could take over the own account. It is no reason to delete it any more,
    /// since the owner may be a grown-up.
    func forgetParent(of account: AccountID) throws {
        try put(
            """
            UPDATE parental_consents SET state = ?, parent_email = NULL, token_hash = NULL,
                changed_at_ms = ?, expires_at_ms = NULL
            WHERE account = ? AND state <> ?
            """,
            [
                .integer(ParentalConsentState.needed.rawValue), SQLValue(at),
                .integer(account.key), .integer(ParentalConsentState.refused.rawValue),
            ])
    }
}
