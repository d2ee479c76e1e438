import ServiceRuntime
import Storage

/// What the service keeps in memory beside the store. Calls change it, background tasks write it
/// and forget old entries (`README.md`, "Memory": bounds, and what a crash loses).
struct SessionMemory: Sendable {
    /// Last uses of sessions that are not on disk yet (S-05).
    let activity = Activity()
    /// Access tokens that were used, for the rotation rule.
    let confirmations: Confirmations
    /// Ended sessions, for validation.
    let revoked: RevokedSessions
    /// Rejected uses of tokens, so that the audit trail does not grow with each.
    let rejectedTokens = RejectedTokenCounter()
    /// Refreshes that follow each other at once.
    let rapidRefreshes = RapidRefreshes()
    /// Records of newcomers' sessions, by address.
    let newcomers = NewcomerRecords()

    /// Nothing but the sessions that ended recently.
    init(_ settings: SessionSettings, revoked: RevokedSessions) {
        confirmations = Confirmations(grace: settings.refreshGrace)
        self.revoked = revoked
    }

    /// The session `id` with its last use, which may not be on disk yet; nil when there is none.
    /// - Throws: what the store throws.
    func session(_ id: SessionID, in store: some SQLSession) throws -> Session? {
        try store.session(id).map(activity.applied(to:))
    }

    /// An account's sessions without a stored end, locked, with their last uses.
    /// - Throws: what the store throws.
    func openSessions(of account: AccountID, in transaction: Transaction) throws -> [Session] {
        try transaction.locked {
            try transaction.openSessions(of: account)
        } about: {
            $0.map { .session($0.id) }
        }.map(activity.applied(to:))
    }

    /// Applies a committed outcome: first updates the revoked sessions, so that none of their
    /// access tokens validates once the caller has its response (S-07); then returns the value or
    /// throws.
    /// - Throws: the error of a refusal.
    func settle<Value>(_ outcome: FlowOutcome<Value>) throws(ServiceError) -> Value {
        switch outcome {
        case .done(let value, let sessions):
            revoked.insert(sessions)
            return value
        case .refused(let code, let sessions, let rejected):
            revoked.insert(sessions)
            if let rejected {
                rejectedTokens.count(rejected)
                if rejected.isRecorded, let origin = rejected.newcomersOrigin {
                    newcomers.count(from: origin, at: rejected.at)
                }
            }
            throw ServiceError(code)
        case .isOver(let reason, let sessions):
            revoked.insert(sessions)
            throw ServiceError.sessionEnded(reason)
        }
    }
}

/// The result of a call's transaction. A refusal that also writes something is a value and not a
/// thrown error: a throw would roll back the end of the family or the audit record.
enum FlowOutcome<Value: Sendable>: Sendable {
    /// Success; sessions may have ended in the transaction.
    case done(Value, ended: [RevokedSession] = [])
    /// An error for the caller; sessions may have ended in the transaction, and the use of a token
    /// may have to be counted.
    case refused(
        ErrorCode, ended: [RevokedSession] = [], rejected: RejectedTokenCounter.Use? = nil)
    /// `auth/session-ended` with the reason; the session may have ended in the transaction.
    case isOver(EndReason, ended: [RevokedSession] = [])
}
