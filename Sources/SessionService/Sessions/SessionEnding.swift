import ServiceRuntime
import Storage

extension Transaction {
    /// Ends a session, with its audit record and, for some reasons, a notice to its owner. The
    /// caller passes the result to `SessionMemory.settle` after the commit.
    func end(
        _ session: Session, _ reason: EndReason, from origin: CallOrigin
    ) throws -> RevokedSession {
        try recordEnd(of: session.id, reason)
        // A sign-out shows that the owner is active now; any other end does not.
        try recordSeen(session.account, at: reason == .signedOut ? at : session.usedAt)
        if let notice = OwnerNotice.message(of: session, ended: reason, at: at) {
            try enqueue(notice)
        }
        let event =
            switch reason {
            case .replayed:
                AuditEvent(.refreshTokenReplayed, outcome: .refreshTokenReplayed)
            case .inactive, .maximumAge: AuditEvent(.sessionEnded, outcome: .sessionEnded)
            case .providerRevoked: AuditEvent(.sessionEnded, outcome: .providerRevoked)
            case .signedOut, .displaced, .security, .revoked: AuditEvent(.sessionEnded)
            }
        try audit(event.of(session).from(origin))
        return RevokedSession(id: session.id, at: at)
    }

    /// Ends the live ones of `sessions` for `reason`, and writes the end of those that have timed
    /// out. Their audit records have no origin.
    /// - Returns: all sessions that this call ended, and how many of them were live.
    func end(
        _ sessions: [Session], _ reason: EndReason, life: SessionLife
    ) throws -> (ended: [RevokedSession], live: Int) {
        var (ended, live): ([RevokedSession], Int) = ([], 0)
        for session in sessions {
            switch life.state(of: session, at: at) {
            case .live:
                ended.append(try end(session, reason, from: .unknown))
                live += 1
            case .over(let reason): ended.append(try end(session, reason, from: .unknown))
            case .ended: break
            }
        }
        return (ended, live)
    }
}

extension AuditEvent {
    /// The event with the keys of `session`.
    func of(_ session: Session) -> AuditEvent {
        var event = self
        event.account = session.account.key
        event.session = session.id.key
        return event
    }
}
