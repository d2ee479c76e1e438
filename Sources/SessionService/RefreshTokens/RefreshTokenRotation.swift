import ServiceRuntime

/// What becomes of a session when one of its refresh tokens is used (G-10, S-04). Pure: the flows
/// obey. Why it is right stands in the README beside it, and is proved by `Tests/…/Schedules`.
///
/// A session is a family of refresh tokens, each the child of the one before. Its row holds the
/// counter n of the leaf, when the leaf was made, and the device's key if it is bound to one. The
/// leaf is confirmed by its first use: as a refresh token, which makes it no leaf any more, or by
/// its access token at the server (`Confirmations`). The token is genuine (`RefreshTokenSeal`) when
/// it comes here; its counter is k.
///
///     session          k                                       decision
///     ───────────────  ──────────────────────────────────────  ────────────────────────────────
///     has ended        any                                     hasEnded
///     past its life    any                                     isOver: it ends with that reason
///     live             above n                                 unknown: an old backup forgot it
///     live, bound      up to n, the device has not proved it   refused; the family lives on
///     live, bound      n, proved                               rotate: the leaf is n + 1
///     live, bound      below n, proved                         again: the leaf's token
///     live, no key     n                                       rotate: the leaf is n + 1
///     live, no key     n − 1, n not confirmed, and
///                      less than the grace since n was made    again: the leaf's token
///     live, no key     any other below n                       replayed: the family ends
///
/// Where fingerprints are demanded, another device's use that would rotate or be answered again is
/// refused; a replay from wherever it comes ends the family.
enum RefreshTokenRotation {
    /// What the rule knows of a session.
    struct Family: Hashable, Sendable {
        /// n, the counter of the leaf.
        let leaf: Int64
        /// When the leaf was made.
        let rotatedAt: Timestamp
        /// The last counter that is known to have been used: n − 1 or n.
        let confirmed: Int64
        /// Whether a device's key is registered.
        let isBound: Bool
    }

    /// What the rule knows of a use.
    struct Use: Hashable, Sendable {
        /// k, the token's counter.
        let counter: Int64
        /// What the device's proof is worth.
        let proof: DeviceProofFinding
        /// Whether it comes from another device than the operator takes (`DeviceBinding`).
        let isElsewhere: Bool
    }

    /// What is to be done.
    enum Decision: Hashable, Sendable {
        /// Make this counter the leaf, and give its token out.
        case rotate(to: Int64)
        /// Give the leaf's token out once more, and an access token that counts from then.
        case again(givenAt: Timestamp)
        /// End the session as replayed.
        case replayed
        /// Refuse this use, and record it. The session lives on, or a thief could end it.
        case refused(ErrorCode)
        /// End the session for this reason, which time has brought.
        case isOver(EndReason)
        /// It has ended before; nothing to write.
        case hasEnded
        /// Refuse the token; nothing to write.
        case unknown
    }

    /// The decision on `use` at `now`.
    static func decision(
        on use: Use, of family: Family, _ state: SessionLife.State, grace: Duration,
        at now: Timestamp
    ) -> Decision {
        switch state {
        case .ended: return .hasEnded
        case .over(let reason): return .isOver(reason)
        case .live: break
        }
        guard use.counter <= family.leaf else { return .unknown }
        return family.isBound
            ? bound(use, family, at: now) : unbound(use, family, grace: grace, at: now)
    }

    private static func bound(_ use: Use, _ family: Family, at now: Timestamp) -> Decision {
        switch use.proof {
        case .absent: return .refused(.deviceProofRequired)
        case .stale: return .refused(.deviceProofStale)
        case .wrong: return .refused(.invalidDeviceProof)
        case .proved(let signedAt):
            if use.counter == family.leaf { return .rotate(to: family.leaf + 1) }
            // From when the device asked: who sends its whole request again later, as he has
            // recorded it, gains nothing by that.
            return .again(givenAt: max(family.rotatedAt, min(signedAt, now)))
        }
    }

    private static func unbound(
        _ use: Use, _ family: Family, grace: Duration, at now: Timestamp
    ) -> Decision {
        let isLeaf = use.counter == family.leaf
        let isRetry =
            use.counter == family.leaf - 1 && family.confirmed < family.leaf
            && now < family.rotatedAt + grace
        guard isLeaf || isRetry else { return .replayed }
        if use.isElsewhere { return .refused(.deviceMismatch) }
        // From when the child was made: a retry, its owner's or a thief's, gives no more access
        // than the first answer did.
        return isLeaf ? .rotate(to: family.leaf + 1) : .again(givenAt: family.rotatedAt)
    }
}
