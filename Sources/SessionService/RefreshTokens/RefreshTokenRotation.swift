import ServiceRuntime

/// Decides what happens to a session when one of its refresh tokens is used (G-10, S-04). Pure:
/// callers carry out the decision. The README beside it explains why it is right, and
/// `Tests/…/Schedules` prove it.
///
/// A session is a family of refresh tokens, each the child of the one before. Its row holds the
/// counter n of the leaf, when the leaf was issued, and the device's key if it is bound to one. The
/// leaf is confirmed by its first use: as a refresh token, after which it is no longer the leaf, or
/// by its access token at the server (`Confirmations`). The token is authentic (`RefreshTokenSeal`)
/// when it gets here; its counter is k.
///
///     session          k                                       decision
///     ───────────────  ──────────────────────────────────────  ────────────────────────────────
///     has ended        any                                     hasEnded
///     past its life    any                                     isOver: it ends with that reason
///     live             above n                                 unknown: lost with an old backup
///     live, bound      up to n, without a valid proof          refused; the family continues
///     live, bound      n, proved                               rotate: the leaf is n + 1
///     live, bound      below n, proved                         again: the leaf's token
///     live, no key     n                                       rotate: the leaf is n + 1
///     live, no key     n − 1, n not confirmed, and
///                      less than the grace since n was issued  again: the leaf's token
///     live, no key     any other below n                       replayed: the family ends
///
/// A repeated request is decided by its caller before this table applies: for 24 h, a use with the
/// idempotency key of the token's first use gets the first response again (the README beside it,
/// "Limits of the rule").
///
/// Where `DeviceBinding` requires the same device, another device's use of a session without a key
/// that would be `rotate` or `again` is refused; a key's proof already shows the device. A replay
/// from any device ends the family.
enum RefreshTokenRotation {
    /// The rule's view of a session.
    struct Family: Hashable, Sendable {
        /// n, the counter of the leaf.
        let leaf: Int64
        /// When the leaf was issued.
        let rotatedAt: Timestamp
        /// The last counter that is known to have been used: n − 1 or n.
        let confirmed: Int64
        /// Whether a device's key is registered.
        let isBound: Bool
    }

    /// The rule's view of a use.
    struct Use: Hashable, Sendable {
        /// k, the token's counter.
        let counter: Int64
        /// The result of checking the device's proof.
        let proof: DeviceProofRule.Finding
        /// Whether it comes from a device that `DeviceBinding` refuses. Only a session without a
        /// key is refused for it.
        let isElsewhere: Bool
    }

    /// What the caller has to do.
    enum Decision: Hashable, Sendable {
        /// Make this counter the leaf and issue its token.
        case rotate(to: Int64)
        /// Issue the leaf's token again, with an access token that is valid from `givenAt`.
        case again(givenAt: Timestamp)
        /// End the session as replayed.
        case replayed
        /// Refuse this use and record it. The session continues, otherwise a thief could end it.
        case refused(ErrorCode)
        /// End the session for this reason: it has timed out.
        case isOver(EndReason)
        /// It has already ended; nothing to write.
        case hasEnded
        /// Reject the token; nothing to write.
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
            // From when the device signed: an attacker who replays a recorded request gains
            // nothing.
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
        // From when the child was issued: a retry, by its owner or a thief, gives no more access
        // than the first response did.
        return isLeaf ? .rotate(to: family.leaf + 1) : .again(givenAt: family.rotatedAt)
    }
}
