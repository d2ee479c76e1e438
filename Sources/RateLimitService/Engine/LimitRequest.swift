/// One limit of a batch, and its subject.
package struct LimitRequest: Sendable {
    /// The limit and subject.
    package let key: LimitKey
    let rule: CountingRule
    /// Counted and reported, but not enforced.
    package let isShadow: Bool
    /// The charge to refund is in the pool; its verdict said so.
    package var isPooled = false

    /// Creates a request with a rule in the form for decisions.
    init(key: LimitKey, rule: CountingRule, isShadow: Bool) {
        self.key = key
        self.rule = rule
        self.isShadow = isShadow
    }

    /// Creates a request with a rule as it is configured.
    /// - Precondition: the rule has no `flaw`.
    package init(key: LimitKey, rule: LimitRule, isShadow: Bool) {
        self.init(key: key, rule: CountingRule(rule), isShadow: isShadow)
    }

    /// The same limit's request with another key.
    package func about(_ key: LimitKey) -> LimitRequest {
        LimitRequest(key: key, rule: rule, isShadow: isShadow)
    }
}
