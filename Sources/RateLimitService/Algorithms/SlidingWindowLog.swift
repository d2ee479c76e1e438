/// A log of the charges in a sliding window. It is exact, whereas counters for fixed windows allow
/// twice the limit around a window's edge.
///
/// Rule, for a charge at `now` with N in W:
///
///     charges younger than W   answer
///     0 … N−1                  allowed; `now` is stored
///     N or more                limited until the Nth youngest is W old; nothing is stored
///
/// A charge of A units, up to N, is A charges at one moment, all or none of which pass.
///
/// A charge counts while it is younger than W, so no half-open span of W has more than N. Setting
/// the clock back allows nothing more, because moments in the future count. There are more than N
/// if the operator lowered N: limited until all but N−1 of them are old.
struct SlidingWindowLog: Sendable {
    /// Charges allowed, 1 to 64.
    let count: Int
    /// Length of the window in milliseconds.
    let window: Int64

    /// The answer that a charge of `units`, 1 to `count`, would get at `now`.
    func answer(
        _ state: borrowing some CountedState, of units: Int = 1, at now: Int64
    ) -> LimitAnswer {
        let stored = state.moments.count
        let living = stored - expired(state, at: now)
        let others = count - units
        guard living > others else {
            return LimitAnswer(
                remaining: others - living, attempt: living + 1,
                resetAt: max(now, state.moments.last ?? now) + window)
        }
        return LimitAnswer(
            isLimited: true, retryAt: state.moments[stored - others - 1] + window,
            attempt: living + 1, resetAt: end(state))
    }

    /// Records a charge that was allowed, and drops those that no longer count.
    func charge(_ state: inout some CountedState, of units: Int = 1, at now: Int64) {
        prune(&state, at: now)
        for _ in 0..<units { state.moments.insert(now) }
    }

    /// Drops charges that no longer count.
    func prune(_ state: inout some CountedState, at now: Int64) {
        state.moments.dropFirst(expired(state, at: now))
    }

    /// When the state no longer counts.
    func end(_ state: borrowing some CountedState) -> Int64 {
        state.moments.last.map { $0 + window } ?? .min
    }

    /// How many charges no longer count at `now`; they are the oldest ones.
    func expired(_ state: borrowing some CountedState, at now: Int64) -> Int {
        var old = 0
        while old < state.moments.count, now - state.moments[old] >= window { old += 1 }
        return old
    }
}
