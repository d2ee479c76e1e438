extension CountingRule {
    private static let day: Int64 = 24 * 3_600_000

    /// The rule for a pool: a cell that many subjects share when the table has no capacity for a
    /// state of each. It allows all of them together no more than it would allow each one.
    ///
    ///     rule     in a pool
    ///     ring     the same
    ///     rate     the same
    ///     ladder   its daily cap only; its delays cannot tell a stranger's requests from one's own
    ///     lock     a sliding window of its attempts within its wait: a stranger's success must not
    ///              unlock the pool, and strangers' failures must not lock it permanently
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
