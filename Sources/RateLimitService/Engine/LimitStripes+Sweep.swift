import Contracts

extension LimitStripes {
    /// The shortest time between two sweeps of a full stripe, in milliseconds. A sweep takes as
    /// long as thousands of decisions, and new subjects may come by the thousand.
    private static let sweepPause: Int64 = 1_000

    /// Drops states that no longer count from a locked stripe, unless that was done within
    /// `sweepPause`.
    func sweepIfDue(_ stripe: UnsafeMutablePointer<Stripe>, at now: Int64) {
        if abs(now - stripe.pointee.sweptAt) >= Self.sweepPause { sweep(stripe, at: now) }
    }

    /// Drops states that no longer count from a locked stripe.
    func sweep(_ stripe: UnsafeMutablePointer<Stripe>, at now: Int64) {
        stripe.pointee.sweptAt = now
        var rules = RulesAtHand(rules)
        stripe.pointee.sweep { key, state in
            isOver(key, state, by: rules[key.limit], at: now)
        }
    }

    /// Whether a state no longer counts by its limit's rule. A pool has another rule than a
    /// subject. A state that another kind of rule counted is read as its limit's rule would read
    /// it, so that it can be dropped without being converted.
    func isOver(
        _ key: LimitKey, _ state: borrowing some CountedState, by rule: CountingRule?,
        at now: Int64
    ) -> Bool {
        guard let rule else { return false }
        if isPool(key) { return Self.isOver(state, by: rule.pooled, at: now) }
        return Self.isOver(state, by: rule, at: now)
    }

    private static func isOver(
        _ state: borrowing some CountedState, by rule: CountingRule, at now: Int64
    ) -> Bool {
        if rule.kind == state.kind { return rule.end(state) <= now }
        return rule.end(rule.adopt(state, at: now)) <= now
    }
}
