package import ServiceRuntime

/// The decision on a batch: the strictest answer of the limits that are enforced.
package struct LimitVerdict: Hashable, Sendable {
    /// Nothing was charged.
    package var isLimited = false
    /// The index of the request that decided: the one with the longest wait, or with the fewest
    /// charges left.
    package var deciding = 0
    /// When a charge can succeed again. Nil if it can now; in a limited verdict nil means only
    /// after a reset.
    package var retryAt: Timestamp?
    /// Charges left after this one.
    package var remaining = 0
    /// The number of this charge in the deciding limit's count, from 1.
    package var attempt = 1
    /// When the state would no longer count if this were the last charge; nil for never.
    package var resetAt: Timestamp?
    /// There was no capacity for a new subject of the batch: it was counted in a pool together with
    /// others, or refused. Operators get an alarm.
    package var isFull = false
    /// Limited for the first time since the subject's last charge: true once for each wait, so that
    /// a flood leaves one record.
    package var isFirst = false
    /// The requests in shadow mode that would have been limited: one bit for each index.
    package var shadowLimited: UInt32 = 0
    /// The requests that are counted in a pool: one bit for each index.
    package var pooled: UInt32 = 0
    /// The batch's keys belong to a secret that has been replaced: nothing was decided.
    package var isStale = false
}
