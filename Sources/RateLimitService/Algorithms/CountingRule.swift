import Contracts
import ServiceRuntime

/// A `LimitRule` in the form used for decisions: whole milliseconds, no heap allocation. It is
/// created once for each limit and not for each decision, because dividing a `Duration` costs as
/// much as the decision.
enum CountingRule: Sendable {
    case slidingWindow(SlidingWindowLog)
    case gcra(GCRA)
    case escalatingDelay(EscalatingDelay)
    case lockout(Lockout)

    /// - Precondition: the rule has no `flaw`.
    init(_ rule: LimitRule) {
        precondition(rule.flaw == nil, "rules are checked where they are read")
        switch rule {
        case .slidingWindow(let count, let window):
            self = .slidingWindow(SlidingWindowLog(count: count, window: window.milliseconds))
        case .gcra(let count, let window):
            self = .gcra(GCRA(count: count, window: window.milliseconds))
        case .escalatingDelay(let delays, let quiet, let perDay):
            self = .escalatingDelay(
                EscalatingDelay(
                    delays: delays.map(\.milliseconds), quiet: quiet.milliseconds, perDay: perDay))
        case .lockout(let attempts, let lockedFor, let failuresMax):
            self = .lockout(
                Lockout(
                    attempts: attempts, lockedFor: lockedFor.milliseconds,
                    failuresMax: failuresMax))
        }
    }

    /// The kind of state that the rule keeps.
    var kind: LimitState.Kind {
        switch self {
        case .slidingWindow: .slidingWindow
        case .gcra: .gcra
        case .escalatingDelay: .escalatingDelay
        case .lockout: .lockout
        }
    }

    /// The units that a charge of `amount` counts: at most as many as pass at once, so that a charge
    /// which is larger than what the operator allows passes when nothing else counts. Escalating
    /// delays and lockouts count attempts, which have no amount.
    func units(of amount: Int) -> Int {
        switch self {
        case .slidingWindow(let rule): min(amount, rule.count)
        case .gcra(let rule): min(amount, Int(rule.burst))
        case .escalatingDelay, .lockout: 1
        }
    }

    /// Whether charges can have an amount.
    var takesAmounts: Bool {
        switch self {
        case .slidingWindow, .gcra: true
        case .escalatingDelay, .lockout: false
        }
    }

    /// The moments that a charge of `amount` adds to a state.
    func moments(of amount: Int) -> Int {
        if case .slidingWindow = self { units(of: amount) } else { 1 }
    }

    /// The answer that a charge of `amount` at `now` would get.
    func answer(
        _ state: borrowing some CountedState, of amount: Int = 1, at now: Int64
    ) -> LimitAnswer {
        switch self {
        case .slidingWindow(let rule): rule.answer(state, of: units(of: amount), at: now)
        case .gcra(let rule): rule.answer(state, of: units(of: amount), at: now)
        case .escalatingDelay(let rule): rule.answer(state, at: now)
        case .lockout(let rule): rule.answer(state, at: now)
        }
    }

    /// Drops charges of a sliding window that no longer count. `charge` does that too; called
    /// before it, this function shows how much space the charge needs.
    @inline(__always)
    func prune(_ state: inout some CountedState, at now: Int64) {
        if case .slidingWindow(let rule) = self { rule.prune(&state, at: now) }
    }

    /// Records a charge that was allowed.
    func charge(_ state: inout some CountedState, of amount: Int = 1, at now: Int64) {
        switch self {
        case .slidingWindow(let rule): rule.charge(&state, of: units(of: amount), at: now)
        case .gcra(let rule): rule.charge(&state, of: units(of: amount), at: now)
        case .escalatingDelay(let rule): rule.charge(&state, at: now)
        case .lockout(let rule): rule.charge(&state, at: now)
        }
    }

    /// A right guess was made: limits on wrong guesses start over, limits on all attempts continue.
    func succeed(_ state: inout some CountedState) {
        switch self {
        case .slidingWindow, .gcra: break
        case .escalatingDelay:
            state.step = 0
            state.failures = 0
        case .lockout: state.forget()
        }
    }

    /// When the state no longer counts; `.max` if it counts until a reset.
    func end(_ state: borrowing some CountedState) -> Int64 {
        switch self {
        case .slidingWindow(let rule): rule.end(state)
        case .gcra: state.moments.last ?? .min
        case .escalatingDelay(let rule): rule.end(state)
        case .lockout(let rule): rule.end(state)
        }
    }
}

extension CountingRule {
    /// Refunds one charge of that moment and amount, if it still counts.
    func refund(
        _ state: inout some CountedState, of moment: Int64, _ amount: Int = 1, at now: Int64
    ) {
        guard mayHold(state, moment, amount, at: now) else { return }
        switch self {
        case .slidingWindow:
            for _ in 0..<units(of: amount) where !state.moments.remove(moment) { break }
        case .gcra(let rule): rule.refund(&state, of: moment, units(of: amount), at: now)
        case .escalatingDelay(let rule): rule.refund(&state, of: moment)
        case .lockout(let rule): rule.refund(&state, of: moment)
        }
    }

    /// Whether a charge of that moment may be in the state and still count. Sliding windows and
    /// escalating delays store the moments, at least for a while. GCRA and a lockout can only
    /// exclude it.
    func mayHold(
        _ state: borrowing some CountedState, _ moment: Int64, _ amount: Int = 1, at now: Int64
    ) -> Bool {
        guard !state.isEmpty else { return false }
        return switch self {
        case .slidingWindow, .escalatingDelay: state.moments.contains(moment)
        case .gcra(let rule): rule.rest(of: moment, units(of: amount), at: now) > 0
        case .lockout: moment >= state.moments[0]
        }
    }
}

extension CountingRule {
    private static let day: Int64 = 24 * 3_600_000

    /// The rule for a shared bucket, which counts many subjects when the table has no capacity for
    /// a state of each. It allows all of them together no more than it would allow each one.
    ///
    ///     rule               in a shared bucket
    ///     sliding window     the same
    ///     GCRA               the same
    ///     escalating delay   its daily cap only; its delays cannot tell a stranger's requests from
    ///                        one's own
    ///     lockout            a sliding window of its attempts within its wait: a stranger's
    ///                        success must not unlock the shared bucket, and strangers' failures
    ///                        must not lock it permanently
    var shared: CountingRule {
        switch self {
        case .slidingWindow, .gcra: self
        case .escalatingDelay(let rule):
            .slidingWindow(SlidingWindowLog(count: rule.perDay, window: Self.day))
        case .lockout(let rule):
            .slidingWindow(
                SlidingWindowLog(
                    count: min(rule.attempts, LimitRule.momentsMax), window: rule.lockedFor))
        }
    }
}

extension CountingRule {
    /// The state as this rule reads it. A stored state has another kind only after the operator has
    /// given the limit another kind of rule. The conversion never allows more than the stored state
    /// did.
    ///
    ///     stored by        read by          becomes
    ///     window, delays   window, delays   the same moments
    ///     window, delays   GCRA             one charge at each moment
    ///     GCRA             window, delays   full, while the bucket is not empty
    ///     lockout          another          one charge at its latest guess
    ///     another          lockout          one guess at the latest moment
    func adopt(_ state: borrowing some CountedState, at now: Int64) -> LimitState {
        guard state.kind != kind else { return LimitState(state) }
        var adopted = LimitState(kind)
        switch (state.kind, self) {
        case (.lockout, _), (_, .lockout):
            if let last = state.moments.last { charge(&adopted, at: last) }
        case (.gcra, _):
            fill(&adopted, until: state.moments.last ?? now, at: now)
        case (_, .gcra):
            for index in 0..<state.moments.count { charge(&adopted, at: state.moments[index]) }
        default:
            adopted.moments = Moments(state.moments)
        }
        return adopted
    }

    private func fill(_ state: inout some CountedState, until end: Int64, at now: Int64) {
        guard end > now else { return }
        for _ in 0..<LimitRule.momentsMax where !answer(state, at: now).isLimited {
            charge(&state, at: now)
        }
    }
}
