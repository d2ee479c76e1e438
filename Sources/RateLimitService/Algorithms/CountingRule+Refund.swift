extension CountingRule {
    /// Refunds one charge of that moment, if it still counts.
    func refund(_ state: inout some CountedState, of moment: Int64, at now: Int64) {
        guard mayHold(state, moment, at: now) else { return }
        switch self {
        case .ring: state.moments.remove(moment)
        case .rate(let rule): rule.refund(&state, of: moment, at: now)
        case .ladder(let rule): rule.refund(&state, of: moment)
        case .lock(let rule): rule.refund(&state, of: moment)
        }
    }

    /// Whether a charge of that moment may be in the state and still count. Rings and ladders store
    /// the moments, at least for a while. A rate and a lock can only exclude it.
    func mayHold(_ state: borrowing some CountedState, _ moment: Int64, at now: Int64) -> Bool {
        guard !state.isEmpty else { return false }
        return switch self {
        case .ring, .ladder: state.moments.contains(moment)
        case .rate(let rule): rule.rest(of: moment, at: now) > 0
        case .lock: moment >= state.moments[0]
        }
    }
}
