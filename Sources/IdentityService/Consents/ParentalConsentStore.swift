import Messages
package import ServiceRuntime
package import Storage

/// The schema of the consents of parents.
extension IdentityTables {
    /// One row for each account that needs or needed one. The link's token is not in `links`: it
    /// opens no account, works more than once, and survives the reset of a password.
    package static let parentalConsents = """
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

    /// Until when a consent is needed. Of rows from before the birth date is not known: the child
    /// has the default least age of 13 years at the latest 13 years later.
    package static let parentalConsentEnds = """
        ALTER TABLE parental_consents ADD COLUMN of_age_at_ms INTEGER NOT NULL
            DEFAULT 253402300799999;
        UPDATE parental_consents SET of_age_at_ms = changed_at_ms + 410240376000;
        CREATE INDEX parental_consents_by_age ON parental_consents (of_age_at_ms);
        """
}

/// The consent of a parent, as it is stored.
package struct ParentalConsent: Hashable, Sendable {
    /// The last component of the path of the link (`LinkPurpose.path`).
    static let page = "parent"

    let account: AccountID
    /// Where it stands.
    package let state: ParentalConsentState
    /// The parent's address, as the child entered it; nil before anyone is asked.
    package let sealedParent: [UInt8]?
    /// Keyed hash of the link's token; nil before anyone is asked.
    let tokenHash: [UInt8]?
    /// When the state changed, or the last link was mailed.
    package let changedAt: Timestamp
    /// When the account's deletion begins without an answer; nil once there is one. After a refusal
    /// in a suspension its time; the deletion begins when the suspension ends.
    let expiresAt: Timestamp?
    /// When the child reaches the least age: no consent is needed any more, and the link ends.
    package let ofAgeAt: Timestamp
}

extension ParentalConsent {
    fileprivate static let columns =
        "account, state, parent_email, token_hash, changed_at_ms, expires_at_ms, of_age_at_ms"

    fileprivate init(_ row: SQLRow) throws {
        account = try AccountID(stored: row.integer("account"))
        state = try ParentalConsentState(stored: row.integer("state"))
        sealedParent = try row.optionalBlob("parent_email")
        tokenHash = try row.optionalBlob("token_hash")
        changedAt = try row.timestamp("changed_at_ms")
        expiresAt = try row.optionalTimestamp("expires_at_ms")
        ofAgeAt = try row.timestamp("of_age_at_ms")
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
    /// - Throws: `SQLError`.
    package func parentalConsent(of account: AccountID) throws -> ParentalConsent? {
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

    /// The accounts whose time is over, the oldest first, without suspended ones: their deletion is
    /// held (`Transaction.endParentalConsent`).
    func overdueParentalConsents(at moment: Timestamp, limit: Int64) throws -> [AccountID] {
        try query(
            """
            SELECT parental_consents.account FROM parental_consents
            JOIN accounts ON accounts.account = parental_consents.account
            WHERE parental_consents.expires_at_ms <= ? AND accounts.status <> ?
            ORDER BY parental_consents.expires_at_ms LIMIT ?
            """,
            [
                SQLValue(moment), .integer(AccountStatus.suspended.rawValue), .integer(limit),
            ]
        ) { try AccountID(stored: $0.integer(0)) }
    }

    /// The accounts whose owners have reached the least age, in the order of that time. Those that
    /// are about to be deleted are not among them.
    func parentalConsentsOfAge(at moment: Timestamp, limit: Int64) throws -> [AccountID] {
        try query(
            """
            SELECT account FROM parental_consents WHERE of_age_at_ms <= ? AND state NOT IN (?, ?)
            ORDER BY of_age_at_ms LIMIT ?
            """,
            [
                SQLValue(moment), .integer(ParentalConsentState.refused.rawValue),
                .integer(ParentalConsentState.withdrawn.rawValue), .integer(limit),
            ]
        ) { try AccountID(stored: $0.integer(0)) }
    }
}

extension Transaction {
    /// Records that an account needs the consent of a parent. What an earlier sign-up of a guest
    /// has recorded stays.
    /// - Parameter ofAge: When the child reaches the least age.
    func needParent(of account: AccountID, until end: Timestamp, ofAge: Timestamp) throws {
        try put(
            """
            INSERT INTO parental_consents
                (account, state, changed_at_ms, expires_at_ms, of_age_at_ms)
            VALUES (?, ?, ?, ?, ?) ON CONFLICT (account) DO NOTHING
            """,
            [
                .integer(account.key), .integer(ParentalConsentState.needed.rawValue),
                SQLValue(at), SQLValue(end), SQLValue(ofAge),
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
    /// - Parameter end: The time of an answer that has no effect yet; nil for any other.
    func answerParent(
        of account: AccountID, _ state: ParentalConsentState, until end: Timestamp? = nil
    ) throws {
        try put(
            """
            UPDATE parental_consents SET state = ?, changed_at_ms = ?, expires_at_ms = ?
            WHERE account = ?
            """,
            [
                .integer(state.rawValue), SQLValue(at), SQLValue(end), .integer(account.key),
            ])
    }

    /// Ends the wait for a parent, or the parent's consent: the account is deleted.
    ///
    /// Attack: the holder of an account that is suspended refuses as its parent, and signs up again
    /// with the same address. So the deletion of a suspended account is held (as `isHeld` does for
    /// owners): the answer is recorded, and `ParentalConsentExpiry` begins the deletion when the
    /// suspension ends. It is no deletion that waits, since a link in a mail could cancel that.
    func endParentalConsent(
        _ consent: ParentalConsent, _ deletions: any PendingDeletions
    ) throws {
        guard try standing(consent.account)?.status != .suspended else {
            return try answerParent(of: consent.account, .refused, until: at)
        }
        try answerParent(of: consent.account, .refused)
        try deletions.begin(of: consent.account, source: .parent, waits: false, self)
    }

    /// The parent withdraws the consent: the account is suspended, its sessions end, and its deletion
    /// waits, held as long as an operator's suspension lasts (`isHeld`). An account without a proved
    /// address gets no mail by which to keep it: only an operator can (`RestoreAccount`).
    func withdrawParentalConsent(
        of account: AccountID, _ deletions: any PendingDeletions, _ outbox: IdentityOutbox
    ) throws {
        try answerParent(of: account, .withdrawn)
        try apply(.withdrawConsent, account)
        try voidPendingState(of: account)
        try endSessions(of: account, provedUntil: at, reason: .revoked, outbox)
        try deletions.begin(of: account, source: .parent, waits: true, self)
    }

    /// The deletion after a withdrawal was cancelled: the suspension by the parent ends, and the
    /// parent's link with it. Another parent is needed within seven days, unless the owner has
    /// reached the least age.
    /// - Throws: `SQLError`.
    package func keepWithoutParent(_ account: AccountID) throws {
        guard let consent = try parentalConsent(of: account),
            case .becomes(let state) = ParentalConsentRule.outcome(consent.state, .kept)
        else { return }
        try apply(.consentNeeded, account)
        guard at < consent.ofAgeAt else { return try removeNeed(of: account) }
        try put(
            """
            UPDATE parental_consents SET state = ?, parent_email = NULL, token_hash = NULL,
                changed_at_ms = ?, expires_at_ms = ?
            WHERE account = ?
            """,
            [
                .integer(state.rawValue), SQLValue(at), SQLValue(at + AgeGate.parentLife),
                .integer(account.key),
            ])
    }

    /// At a takeover: what was asked and answered was in another person's name. The need of a
    /// parent stays, and so does the deletion without one, in another seven days. Attack: a child
    /// takes over the own account, by a reset of its password, to be rid of both. It gains these
    /// days once: the address is proved then, and an account with a proved address is not taken
    /// over.
    func forgetParent(of account: AccountID, until end: Timestamp) throws {
        try put(
            """
            UPDATE parental_consents SET state = ?, parent_email = NULL, token_hash = NULL,
                changed_at_ms = ?, expires_at_ms = ?
            WHERE account = ? AND state <> ?
            """,
            [
                .integer(ParentalConsentState.inherited.rawValue), SQLValue(at), SQLValue(end),
                .integer(account.key), .integer(ParentalConsentState.refused.rawValue),
            ])
    }

    /// At the upgrade of a guest, or its next claim: a parent who was asked before may be a
    /// stranger's. Attack: on a borrowed phone an attacker claims an address as a child, names an
    /// own mailbox as the parent's, and refuses after the phone's owner has signed up: the account
    /// would be deleted. The link becomes invalid, and another parent must be asked.
    ///
    /// The need stays, whatever birth date is given now: the person who gave the first one is more
    /// likely to be the same than a stranger. So does the end of a wait, or a child could claim
    /// again every week. A consent that was given waits until `end`.
    func unaskParent(of guest: AccountID, until end: Timestamp) throws {
        let requested = ParentalConsentState.requested.rawValue
        try put(
            """
            UPDATE parental_consents SET state = ?, parent_email = NULL, token_hash = NULL,
                changed_at_ms = ?, expires_at_ms = coalesce(expires_at_ms, ?)
            WHERE account = ? AND state IN (?, ?)
            """,
            [
                .integer(requested), SQLValue(at), SQLValue(end), .integer(guest.key),
                .integer(requested), .integer(ParentalConsentState.given.rawValue),
            ])
    }

    /// Records that the owner of an account that was taken over is below the least age, too. The
    /// end of the wait stays.
    /// - Parameter ofAge: When the owner reaches the least age.
    func confirmNeed(of account: AccountID, ofAge: Timestamp) throws {
        try put(
            """
            UPDATE parental_consents SET state = ?, of_age_at_ms = ? WHERE account = ? AND state = ?
            """,
            [
                .integer(ParentalConsentState.needed.rawValue), SQLValue(ofAge),
                .integer(account.key),
                .integer(ParentalConsentState.inherited.rawValue),
            ])
    }

    /// Records that an account needs no parent.
    func removeNeed(of account: AccountID) throws {
        try put(
            "DELETE FROM parental_consents WHERE account = ?", [.integer(account.key)])
    }
}
