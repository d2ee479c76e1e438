extension LimitStripes {
    /// The least time between two sweeps of a full stripe, in milliseconds: one takes as long as
    /// thousands of decisions, and new subjects may come by the thousand.
    private static let sweepPause: Int64 = 1_000

    /// Drops what no longer counts from a stripe that is locked, unless it was done just now.
    func sweepIfDue(_ stripe: UnsafeMutablePointer<Stripe>, at now: Int64) {
        if abs(now - stripe.pointee.sweptAt) >= Self.sweepPause { sweep(stripe, at: now) }
    }

    /// Drops what no longer counts from a stripe that is locked.
    func sweep(_ stripe: UnsafeMutablePointer<Stripe>, at now: Int64) {
        stripe.pointee.sweptAt = now
        var rules = SweepRules(rules)
        stripe.pointee.sweep { key, state in
            isOver(key, state, by: rules[key.limit], at: now)
        }
    }

    /// Whether nothing of a state counts any more by its limit's rule, which for a pool is another
    /// than for a subject.
    func isOver(
        _ key: LimitKey, _ state: borrowing LimitState, by rule: CountingRule?, at now: Int64
    ) -> Bool {
        guard var rule else { return false }
        if isPool(key) { rule = rule.pooled }
        guard rule.kind == state.kind else { return false }
        return rule.end(state) <= now
    }
}

/// The rules during the sweep of one stripe: each is asked for once, not for each state while
/// others wait for the stripe.
private struct SweepRules {
    /// All numbers that limits have are smaller; larger ones are asked for each time.
    private static let numbersMax = 128
    private let rules: LimitStripes.Rules
    /// Nil where the rule has not been asked for.
    private var known = [CountingRule??](repeating: nil, count: numbersMax)

    init(_ rules: @escaping LimitStripes.Rules) {
        self.rules = rules
    }

    subscript(limit: UInt16) -> CountingRule? {
        mutating get {
            guard limit < Self.numbersMax else { return rules(limit) }
            if let rule = known[Int(limit)] { return rule }
            let rule = rules(limit)
            known[Int(limit)] = .some(rule)
            return rule
        }
    }
}
