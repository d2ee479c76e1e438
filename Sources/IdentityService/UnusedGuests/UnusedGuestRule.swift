import ServiceRuntime

/// When an unused guest is deleted (I-04). Pure.
///
/// A guest is reached only through its session (G-07), so one without a live session stays unused
/// for ever. It is kept for `guest-kept` from its last use, not from its session's end, and at least as long from the upgrade to
/// the version that began to delete guests: an upgrade alone deletes none.
struct UnusedGuestRule: Sendable {
    /// How long; nil for ever.
    let kept: Duration?
    /// When the store was upgraded.
    let upgradedAt: Timestamp

    /// When a guest is deleted; nil for never.
    /// - Parameter lastSeenAt: Nil if that is not known; then its creation counts.
    func deletion(createdAt: Timestamp, lastSeenAt: Timestamp?) -> Timestamp? {
        kept.map { max(lastSeenAt ?? createdAt, upgradedAt) + $0 }
    }

    /// Only guests that were created before this can be due at `now`; nil if none is.
    func createdBefore(_ now: Timestamp) -> Timestamp? {
        guard let kept, upgradedAt + kept <= now else { return nil }
        return now - kept
    }
}
