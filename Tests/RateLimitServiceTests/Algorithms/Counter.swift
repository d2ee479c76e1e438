import Contracts

@testable import RateLimitService

/// The state of one subject under one rule, changed by the test.
final class Counter {
    var rule: CountingRule
    var state: LimitState

    init(_ rule: LimitRule) {
        self.rule = CountingRule(rule)
        state = LimitState(self.rule.kind)
    }

    /// The answer that a charge would get.
    func answer(at now: Int64) -> LimitAnswer { rule.answer(state, at: now) }

    /// Charges, if that is allowed. Returns whether it was.
    @discardableResult
    func charge(at now: Int64) -> Bool {
        guard !answer(at: now).isLimited else { return false }
        rule.charge(&state, at: now)
        return true
    }

    func refund(_ moment: Int64, at now: Int64) { rule.refund(&state, of: moment, at: now) }

    func succeed() { rule.succeed(&state) }

    /// Continues under another rule, as after an operator's change.
    func change(to rule: LimitRule, at now: Int64) {
        self.rule = CountingRule(rule)
        state = self.rule.adopt(state, at: now)
    }
}
