import Messages
import ServiceRuntime
import Storage

/// When an account's sessions were last ended, as identity knows it. Session hears of it through the
/// outbox, so later, and may be down meanwhile; a call in a session that has ended asks it before that
/// and writes after. Attack: a stranger asks to link an identity of their own, the account's owner
/// arrives (`Takeover`) while the token is checked, and the stranger's link is written into what is the
/// owner's account now.
///
///     the session             its owner first proved to be it    it
///     is the one that stays   any                                goes on
///     any other               before the end                     has ended
///     any other               at the end, or after               goes on
struct SessionsEnd: Hashable, Sendable {
    /// Sessions that were opened by a proof from before this end.
    let before: Timestamp
    /// The one that stays, "ses_…"; nil for none.
    let spared: String?

    /// Whether the session of `owner` is among those that end.
    func ends(_ owner: SessionOwner) -> Bool {
        owner.provedAt < before && (spared == nil || owner.session != spared)
    }
}

/// The columns of `accounts` that keep it.
enum SessionsEndTables {
    static let sql = """
        ALTER TABLE accounts ADD COLUMN sessions_void_before_ms INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE accounts ADD COLUMN session_spared TEXT;
        """
}

extension SQLSession {
    /// Whether the session that asks has ended, even where session has not heard of it. Asked in the
    /// transaction of whatever changes who may sign in.
    func hasEnded(_ owner: SessionOwner) throws -> Bool {
        let end = try queryOne(
            "SELECT sessions_void_before_ms, session_spared FROM accounts WHERE account = ?",
            [.integer(owner.account.key)]
        ) { row in
            SessionsEnd(before: try row.timestamp(0), spared: try row.optionalText(1))
        }
        return end?.ends(owner) ?? true
    }

    /// The same, for who refuses by an error alone.
    /// - Throws: `auth/session-ended`.
    func requireLive(_ owner: SessionOwner) throws {
        guard try !hasEnded(owner) else { throw ServiceError(.sessionEnded) }
    }
}

extension Transaction {
    /// Ends an account's sessions: here at once, at session through the outbox. The one way to do it.
    ///
    /// An end that lies before the last one (a provider's notice, which may be late) leaves that as
    /// it is: it ends no more sessions, but for the spared one, whose owner has proved to be it since.
    /// - Parameters: as `IdentityOutbox.endAccount`.
    func endSessions(
        of account: AccountID, provedUntil moment: Timestamp, except session: String = "",
        reason: SessionV1.EndReason = .security, _ parts: IdentityParts
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
            IdentityOutbox(parts: parts).endAccount(
                account, provedUntil: moment, except: session, reason: reason))
    }
}
