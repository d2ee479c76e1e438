import Messages
import ServiceRuntime
import Storage

/// The latest end of an account's sessions, as identity recorded it. The session service gets it
/// through the outbox, so later, and may be down in between. A call that checks its session there
/// before that, and writes after, must compare with this record. Attack: an attacker asks to link
/// their own identity. While the token is checked, the account's owner signs in (`Takeover`). The
/// attacker's link would then be written to an account that now belongs to the owner.
///
///     the session         its earliest proof         result
///     is the spared one   any                        continues
///     any other           before the end             has ended
///     any other           at the end, or after       continues
struct SessionsEnd: Hashable, Sendable {
    /// Sessions whose earliest proof is before this time have ended.
    let before: Timestamp
    /// The id of the session that continues, "ses_…"; nil for none.
    let spared: String?

    /// Whether this ends the session of `owner`.
    func ends(_ owner: SessionOwner) -> Bool {
        owner.provedAt < before && (spared == nil || owner.session != spared)
    }
}

/// The columns of `accounts` that store the latest end.
extension IdentityTables {
    static let sessionsEnd = """
        ALTER TABLE accounts ADD COLUMN sessions_void_before_ms INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE accounts ADD COLUMN session_spared TEXT;
        """
}

extension SQLSession {
    /// Whether the caller's session has ended, even if the session service has not received that
    /// yet. Call it in the transaction of every change to who may sign in.
    func hasEnded(_ owner: SessionOwner) throws -> Bool {
        let end = try queryOne(
            "SELECT sessions_void_before_ms, session_spared FROM accounts WHERE account = ?",
            [.integer(owner.account.key)]
        ) { row in
            SessionsEnd(before: try row.timestamp(0), spared: try row.optionalText(1))
        }
        return end?.ends(owner) ?? true
    }

    /// As `hasEnded`, for callers that only need to fail.
    /// - Throws: `auth/session-ended`.
    func requireLive(_ owner: SessionOwner) throws {
        guard try !hasEnded(owner) else { throw ServiceError(.sessionEnded) }
    }
}

extension Transaction {
    /// Ends an account's sessions: at once in identity, and through the outbox in the session
    /// service. This is the only way to do it.
    ///
    /// If `moment` is before the recorded end (for example, a late notice from a provider), the
    /// record does not change: such an end includes no further sessions, except the spared one,
    /// whose owner has authenticated since.
    /// - Parameters: as `IdentityOutbox.endAccount`.
    func endSessions(
        of account: AccountID, provedUntil moment: Timestamp, except session: String = "",
        reason: SessionV1.EndReason = .security, _ outbox: IdentityOutbox
    ) throws {
        let before = SQLValue(moment + ProofIssuer.afterEnd)
        try execute(
            """
            UPDATE accounts SET sessions_void_before_ms = ?, session_spared = ?
            WHERE account = ? AND sessions_void_before_ms <= ?
            """,
            [
                before, session.isEmpty ? .null : .text(session), .integer(account.key), before,
            ])
        try enqueue(
            outbox.endAccount(
                account, provedUntil: moment, except: session, reason: reason))
    }
}
