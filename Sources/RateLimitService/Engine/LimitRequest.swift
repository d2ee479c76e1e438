/// One limit of a batch, and whom it is about.
package struct LimitRequest: Sendable {
    /// Whom it is about.
    package let key: LimitKey
    let rule: CountingRule
    /// Counted and told of, but not enforced.
    package let isShadow: Bool
    /// The charge that is to be taken back stands in the pool: its verdict said so.
    package var isPooled = false

    /// A request by a rule that is at hand in the form for decisions.
    init(key: LimitKey, rule: CountingRule, isShadow: Bool) {
        self.key = key
        self.rule = rule
        self.isShadow = isShadow
    }

    /// A request by a rule as it is written.
    /// - Precondition: the rule has no `flaw`.
    package init(key: LimitKey, rule: LimitRule, isShadow: Bool) {
        self.init(key: key, rule: CountingRule(rule), isShadow: isShadow)
    }

    /// The same limit's request about another subject.
    package func about(_ key: LimitKey) -> LimitRequest {
        LimitRequest(key: key, rule: rule, isShadow: isShadow)
    }
}
