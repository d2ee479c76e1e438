extension CountingRule {
    private static let day: Int64 = 24 * 3_600_000

    /// The rule for a pool, which many subjects share when there is no room for each: never more
    /// for all of them together than each would have alone.
    ///
    ///     rule       in the pool
    ///     ring       the same
    ///     rate       the same
    ///     ladder     its daily cap; waits would tell strangers' requests from one's own no more
    ///     lock       a ring of its attempts in its wait: a stranger's success must not open the
    ///                pool, and strangers' failures must not close it for ever
    var pooled: CountingRule {
        switch self {
        case .ring, .rate: self
        case .ladder(let rule): .ring(SlidingWindowLog(count: rule.perDay, window: Self.day))
        case .lock(let rule):
            .ring(
                SlidingWindowLog(
                    count: min(rule.attempts, LimitRule.momentsMax), window: rule.lockedFor))
        }
    }
}
