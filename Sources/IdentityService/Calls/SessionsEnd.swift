import Contracts
package import Messages
package import ServiceRuntime
package import Storage

/// The latest end of an account's sessions, as identity recorded it. The session service gets it
/// through the outbox, so later, and may be down in between. A call that checks its session there
/// before that, and writes after, must compare with this record. Attack: an attacker asks to link
/// their own identity. While the token is checked, the account's owner signs in (`Takeover`). The
/// attacker's link would then be written to an account that now belongs to the owner.
///
///     the session         its earliest proof                result
///     is the spared one   any                               continues
///     any other           from before it (`AccountEnd`)     has ended
///     any other           later                             continues
struct SessionsEnd: Hashable, Sendable {
    /// Decides which sessions are from before it.
    let end: AccountEnd
    /// The id of the session that continues, "ses_…"; nil for none.
    let spared: String?

    /// Whether this ends the session of `owner`.
    func ends(_ owner: SessionOwner) -> Bool {
        end.covers(provedAt: owner.provedAt, generation: owner.generation)
            && (spared == nil || owner.session != spared)
    }
}

/// The columns of `accounts` that store the latest end.
extension IdentityTables {
    /// The columns of an end, and of the session that it spares.
    package static let sessionsEnd = """
        ALTER TABLE accounts ADD COLUMN sessions_void_before_ms INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE accounts ADD COLUMN session_spared TEXT;
        """

    /// `sessions_void_by_clock_ms` is the time of the latest end that raised no generation.
    package static let sessionGeneration = """
        ALTER TABLE accounts ADD COLUMN session_generation INTEGER NOT NULL DEFAULT 1;
        ALTER TABLE accounts ADD COLUMN sessions_void_by_clock_ms INTEGER NOT NULL DEFAULT 0;
        """
}

extension SQLSession {
    /// The session generation of an account; nil if there is no such account.
    /// - Throws: `SQLError`.
    package func sessionGeneration(of account: AccountID) throws -> Int64? {
        try queryOne(
            "SELECT session_generation FROM accounts WHERE account = ?", [.integer(account.key)]
        ) { try $0.integer(0) }
    }

    /// Whether the caller's session has ended, even if the session service has not received that
    /// yet. Call it in the transaction of every change to who may sign in.
    /// - Throws: `SQLError`.
    package func hasEnded(_ owner: SessionOwner) throws -> Bool {
        let end = try queryOne(
            """
            SELECT sessions_void_before_ms, session_generation, sessions_void_by_clock_ms,
                session_spared
            FROM accounts WHERE account = ?
            """,
            [.integer(owner.account.key)]
        ) { row in
            SessionsEnd(
                end: AccountEnd(
                    before: try row.timestamp(0), generation: try row.integer(1),
                    beforeByClock: try row.timestamp(2)),
                spared: try row.optionalText(3))
        }
        return end?.ends(owner) ?? true
    }

    /// As `hasEnded`, for callers that only need to fail.
    /// - Throws: `auth/session-ended`.
    package func requireLive(_ owner: SessionOwner) throws {
        guard try !hasEnded(owner) else { throw ServiceError(.sessionEnded) }
    }
}

extension Transaction {
    /// Ends an account's sessions: at once in identity, and through the outbox in the session
    /// service. This is the only way to do it, except for a deletion (`recordEnd`).
    ///
    /// The end of all sessions, at the time of the transaction, raises the session generation. One
    /// at an earlier time (a late notice from a provider) leaves later sign-ins alone, so it does
    /// not, and compares times.
    /// - Parameters: as `IdentityOutbox.endAccount`.
    /// - Throws: `SQLError`.
    package func endSessions(
        of account: AccountID, provedUntil moment: Timestamp, except session: String = "",
        reason: GatewayV1.EndReason = .security, _ outbox: IdentityOutbox
    ) throws {
        try removeSessionLinks(of: account, except: session)
        let spared = session.isEmpty ? SQLValue.null : .text(session)
        let before = SQLValue(moment + ProofIssuer.afterEnd)
        var generation: Int64 = 0
        if moment < at {
            try recordEarlierEnd(of: account, before: before, spared: spared)
        } else {
            generation = try raiseGeneration(of: account, before: before, spared: spared)
        }
        try enqueue(
            outbox.endAccount(
                account, provedUntil: moment, generation: generation, except: session,
                reason: reason))
    }

    /// Ends all sessions of an account that is being deleted, in identity only: a step of the
    /// deletion ends them in the session service (`DeletionStep.sessions`).
    /// - Throws: `SQLError`.
    package func recordEnd(of account: AccountID) throws {
        try removeSessionLinks(of: account, except: "")
        _ = try raiseGeneration(
            of: account, before: SQLValue(at + ProofIssuer.afterEnd), spared: .null)
    }

    /// If the end is before the recorded one, the record does not change: such an end includes no
    /// further sessions, except the spared one, whose owner has authenticated since.
    private func recordEarlierEnd(
        of account: AccountID, before: SQLValue, spared: SQLValue
    ) throws {
        try put(
            """
            UPDATE accounts
            SET sessions_void_before_ms = ?, sessions_void_by_clock_ms = ?, session_spared = ?
            WHERE account = ? AND sessions_void_before_ms <= ?
            """,
            [before, before, spared, .integer(account.key), before])
    }

    /// The generation is at least the time of its end in milliseconds. So after a restored backup
    /// it is still higher than those which the lost store gave: their sessions end too.
    /// - Returns: the new generation; 0 if there is no such account.
    private func raiseGeneration(
        of account: AccountID, before: SQLValue, spared: SQLValue
    ) throws -> Int64 {
        try queryOne(
            """
            UPDATE accounts SET
                session_generation = CASE WHEN session_generation < ?1
                    THEN ?1 ELSE session_generation + 1 END,
                sessions_void_before_ms = CASE WHEN sessions_void_before_ms < ?1
                    THEN ?1 ELSE sessions_void_before_ms END,
                session_spared = ?2
            WHERE account = ?3 RETURNING session_generation
            """,
            [before, spared, .integer(account.key)]
        ) { try $0.integer(0) } ?? 0
    }
}
