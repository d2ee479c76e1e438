import ServiceRuntime
import Storage

extension Transaction {
    /// Ends a session, with its audit record and, for some reasons, a notice to its owner. The
    /// caller passes the result to `SessionMemory.settle` after the commit.
    /// - Parameter sealedPlace: Of a replay, for its notice (`OwnerNotice.sealed`).
    func end(
        _ session: Session, _ reason: EndReason, from origin: CallOrigin,
        sealedPlace: [UInt8] = []
    ) throws -> RevokedSession {
        try recordEnd(of: session.id, reason)
        // A sign-out shows that the owner is active now; any other end does not.
        try recordSeen(session.account, at: reason == .signedOut ? at : session.usedAt)
        let notice = OwnerNotice.message(
            of: session, ended: reason, at: at, sealedPlace: sealedPlace)
        if let notice { try enqueue(notice) }
        let outcome: ErrorCode? =
            switch reason {
            case .replayed: .refreshTokenReplayed
            case .inactive, .maximumAge: .sessionEnded
            case .providerRevoked: .providerRevoked
            case .signedOut, .displaced, .security, .revoked, .accountDeleted: nil
            }
        let event =
            reason == .replayed
            ? AuditEvent(.refreshTokenReplayed, outcome: outcome)
            : AuditEvent(.sessionEnded, outcome: outcome, detail: .end(reason))
        try audit(event.of(session).from(origin))
        return RevokedSession(id: session.id, at: at)
    }

    /// Ends the live ones of `sessions` for `reason`, and writes the end of those that have timed
    /// out. The records of these have no origin: no call has ended them.
    /// - Parameter origin: That of the call that ends the live ones.
    /// - Returns: all sessions that this call ended, and how many of them were live.
    func end(
        _ sessions: [Session], _ reason: EndReason, life: SessionLife, from origin: CallOrigin
    ) throws -> (ended: [RevokedSession], live: Int) {
        var (ended, live): ([RevokedSession], Int) = ([], 0)
        for session in sessions {
            switch life.state(of: session, at: at) {
            case .live:
                ended.append(try end(session, reason, from: origin))
                live += 1
            case .over(let reason): ended.append(try end(session, reason, from: .unknown))
            case .ended: break
            }
        }
        return (ended, live)
    }
}

extension SessionsHandler {
    /// Ends a session of which an old refresh token was used. Its owner is told where that was: that
    /// is the thief's place, or the owner's own.
    func endReplayed(
        _ session: Session, from origin: CallOrigin, _ transaction: Transaction
    ) throws -> RevokedSession {
        try transaction.end(
            session, .replayed, from: origin,
            sealedPlace: OwnerNotice.sealed(origin.place, of: session.id, keys.devicesShown))
    }
}

extension Transaction {
    /// Ends sessions for a call that may end the session of its own token, so the token is judged
    /// in `body`: before that, a repeat gets the first count (G-25). A call that ended nothing is
    /// not stored. Attack: the holder of an ended session's token fills the store with such calls.
    /// - Returns: the number of live sessions that the call ended.
    func endOnce(
        _ call: RepeatableCall?, _ body: () throws -> FlowOutcome<Int>
    ) throws -> FlowOutcome<Int> {
        if let first = try remembered(of: call) {
            return .done(first.reduce(0) { $0 << 8 | Int($1) })
        }
        let outcome = try body()
        if case .done(let live, _) = outcome, live > 0 {
            let count = UInt32(clamping: live)
            try remember(call, (0..<4).map { UInt8(truncatingIfNeeded: count >> (24 - $0 * 8)) })
        }
        return outcome
    }
}

extension SQLSession {
    /// When an ended session of the account was last used; nil when unknown.
    func accountSeen(_ account: AccountID) throws -> Timestamp? {
        try queryOne(
            "SELECT seen_at_ms FROM account_seen WHERE account = ?", [.integer(account.key)]
        ) { try $0.timestamp(0) }
    }
}

extension Transaction {
    /// Records that an account was seen at `moment`. An earlier moment than the stored one changes
    /// nothing.
    func recordSeen(_ account: AccountID, at moment: Timestamp) throws {
        try put(
            """
            INSERT INTO account_seen (account, seen_at_ms) VALUES (?, ?)
            ON CONFLICT (account) DO UPDATE SET seen_at_ms = excluded.seen_at_ms
            WHERE excluded.seen_at_ms > account_seen.seen_at_ms
            """,
            [.integer(account.key), SQLValue(moment)])
    }
}
