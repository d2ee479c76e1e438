import ServiceRuntime

/// What becomes of a session when one of its refresh tokens is used (G-10). Pure: the flows obey.
///
/// A session is a family of refresh tokens, each the child of the one before; its row holds the
/// counter n of the leaf, the only one that is good. The token is genuine (`RefreshTokenSeal`)
/// when it comes here.
///
///     session                  token's counter   decision
///     ───────────────────────  ────────────────  ───────────────────────────────────────────────
///     has ended                any               hasEnded
///     is past its life         any               isOver: it ends with that reason
///     live                     n                 rotate: the leaf is n + 1
///     live                     below n           replayed: the family ends
///     live                     above n           unknown: the store forgot it (an old backup)
///
/// Attack: a thief uses a token that its owner has used, or the owner one that the thief has used.
/// Nobody can tell which of the two it is, so nobody keeps the session (RFC 9700, 4.14.2).
///
/// Of any number of uses of one token exactly one rotates, since the writer takes them one after
/// the other; the next one finds the counter moved on, and is a replay. A caller that repeats a
/// call whose answer was lost says so by its idempotency key, and is answered before this rule is
/// asked (`Refresh`).
enum RefreshTokenRotation {
    /// What is to be done.
    enum Decision: Hashable, Sendable {
        /// Make this counter the leaf, and give its token out.
        case rotate(to: Int64)
        /// End the session as replayed.
        case replayed
        /// End the session for this reason, which time has brought.
        case isOver(EndReason)
        /// It has ended before; nothing to write.
        case hasEnded
        /// Refuse the token; nothing to write.
        case unknown
    }

    /// The decision on the token with `counter` of `session` at `now`.
    static func decision(
        counter: Int64, of session: Session, life: SessionLife, at now: Timestamp
    ) -> Decision {
        switch life.state(of: session, at: now) {
        case .ended: return .hasEnded
        case .over(let reason): return .isOver(reason)
        case .live: break
        }
        if counter == session.counter { return .rotate(to: session.counter + 1) }
        // One behind within the grace, or by a proven device, joins here as a row of the table.
        return counter < session.counter ? .replayed : .unknown
    }
}
