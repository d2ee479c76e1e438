extension CountingRule {
    /// The state as this rule reads it. A stored state has another kind only after the operator has
    /// given the limit another kind of rule. The conversion never allows more than the stored state
    /// did.
    ///
    ///     stored by      read by        becomes
    ///     ring, ladder   ring, ladder   the same moments
    ///     ring, ladder   rate           one charge at each moment
    ///     rate           ring, ladder   full, while the bucket is not empty
    ///     lock           another        one charge at its latest guess
    ///     another        lock           one guess at the latest moment
    func adopt(_ state: borrowing some CountedState, at now: Int64) -> LimitState {
        guard state.kind != kind else { return LimitState(state) }
        var adopted = LimitState(kind)
        switch (state.kind, self) {
        case (.lock, _), (_, .lock):
            if let last = state.moments.last { charge(&adopted, at: last) }
        case (.rate, _):
            fill(&adopted, until: state.moments.last ?? now, at: now)
        case (_, .rate):
            for place in 0..<state.moments.count { charge(&adopted, at: state.moments[place]) }
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
