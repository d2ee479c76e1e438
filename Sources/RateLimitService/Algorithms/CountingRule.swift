import ServiceRuntime

/// A `LimitRule` in the form used for decisions: whole milliseconds, no heap allocation. It is
/// created once for each limit and not for each decision, because dividing a `Duration` costs as
/// much as the decision.
enum CountingRule: Sendable {
    case ring(SlidingWindowLog)
    case rate(GCRA)
    case ladder(EscalatingDelay)
    case lock(Lockout)

    /// - Precondition: the rule has no `flaw`.
    init(_ rule: LimitRule) {
        precondition(rule.flaw == nil, "rules are checked where they are read")
        switch rule {
        case .ring(let count, let window):
            self = .ring(SlidingWindowLog(count: count, window: window.milliseconds))
        case .rate(let count, let window):
            self = .rate(GCRA(count: count, window: window.milliseconds))
        case .ladder(let delays, let quiet, let perDay):
            self = .ladder(
                EscalatingDelay(
                    delays: delays.map(\.milliseconds), quiet: quiet.milliseconds, perDay: perDay))
        case .lock(let attempts, let lockedFor, let failuresMax):
            self = .lock(
                Lockout(
                    attempts: attempts, lockedFor: lockedFor.milliseconds,
                    failuresMax: failuresMax))
        }
    }

    /// The kind of state that the rule keeps.
    var kind: LimitState.Kind {
        switch self {
        case .ring: .ring
        case .rate: .rate
        case .ladder: .ladder
        case .lock: .lock
        }
    }

    /// The answer that a charge at `now` would get.
    func answer(_ state: borrowing some CountedState, at now: Int64) -> LimitAnswer {
        switch self {
        case .ring(let rule): rule.answer(state, at: now)
        case .rate(let rule): rule.answer(state, at: now)
        case .ladder(let rule): rule.answer(state, at: now)
        case .lock(let rule): rule.answer(state, at: now)
        }
    }

    /// Drops charges of a ring that no longer count. `charge` does that too; called before it, this
    /// function shows how much space the charge needs.
    @inline(__always)
    func prune(_ state: inout some CountedState, at now: Int64) {
        if case .ring(let rule) = self { rule.prune(&state, at: now) }
    }

    /// Records a charge that was allowed.
    func charge(_ state: inout some CountedState, at now: Int64) {
        switch self {
        case .ring(let rule): rule.charge(&state, at: now)
        case .rate(let rule): rule.charge(&state, at: now)
        case .ladder(let rule): rule.charge(&state, at: now)
        case .lock(let rule): rule.charge(&state, at: now)
        }
    }

    /// A right guess was made: limits on wrong guesses start over, limits on all attempts continue.
    func succeed(_ state: inout some CountedState) {
        switch self {
        case .ring, .rate: break
        case .ladder:
            state.step = 0
            state.failures = 0
        case .lock: state.forget()
        }
    }

    /// When the state no longer counts; `.max` if it counts until a reset.
    func end(_ state: borrowing some CountedState) -> Int64 {
        switch self {
        case .ring(let rule): rule.end(state)
        case .rate: state.moments.last ?? .min
        case .ladder(let rule): rule.end(state)
        case .lock(let rule): rule.end(state)
        }
    }
}
