package import ServiceRuntime

/// What was decided on a batch: the strictest answer of those that are enforced.
package struct LimitVerdict: Hashable, Sendable {
    /// Nothing was charged.
    package var isLimited = false
    /// The request that decided, by its place in the batch: the one to wait longest for, or that
    /// leaves least.
    package var deciding = 0
    /// When a charge can work again; nil when it can now, or, where limited, not before a reset.
    package var retryAt: Timestamp?
    /// Charges left after this one.
    package var remaining = 0
    /// Which one in the deciding limit's count this is, from 1.
    package var attempt = 1
    /// When nothing counts any more, were this the last charge; nil for never.
    package var resetAt: Timestamp?
    /// There was no room for another subject of the batch: it was counted in a pool, together with
    /// others, or refused. An alarm.
    package var isFull = false
    /// Limited for the first time since the subject's last charge: once for each wait, so that a
    /// flood leaves one record.
    package var isFirst = false
    /// The requests in shadow that would have been limited: one bit for each place.
    package var shadowLimited: UInt32 = 0
    /// The requests that are counted in a pool: one bit for each place.
    package var pooled: UInt32 = 0
    /// The batch's keys are of a secret that has been replaced: nothing was decided.
    package var isStale = false
}
