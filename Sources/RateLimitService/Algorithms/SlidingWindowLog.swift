/// The moments of the charges that still count: exact, where counters for each calendar window let
/// twice as many through at an edge.
///
/// Rule, for a charge at `now` under N in W:
///
///     charges younger than W   answer
///     0 … N−1                  allowed; `now` is kept
///     N or more                limited until the Nth youngest is W old; nothing is kept
///
/// A charge counts while it is younger than W: in no half-open span of W are there more than N.
/// A clock that went backwards cannot free anything: moments from the future count. More than N
/// are there when the operator lowered N: limited until all but N−1 of them are old.
struct SlidingWindowLog: Sendable {
    /// Charges allowed, 1 to 64.
    let count: Int
    /// Length of the span, milliseconds.
    let window: Int64

    /// What a charge at `now` would be answered.
    func answer(_ state: borrowing some CountedState, at now: Int64) -> LimitAnswer {
        let kept = state.moments.count
        let living = kept - expired(state, at: now)
        guard living >= count else {
            return LimitAnswer(
                remaining: count - living - 1, attempt: living + 1,
                resetAt: max(now, state.moments.last ?? now) + window)
        }
        return LimitAnswer(
            isLimited: true, retryAt: state.moments[kept - count] + window, attempt: living + 1,
            resetAt: end(state))
    }

    /// Keeps a charge that was allowed, and forgets those that no longer count.
    func charge(_ state: inout some CountedState, at now: Int64) {
        prune(&state, at: now)
        state.moments.insert(now)
    }

    /// Forgets charges that no longer count.
    func prune(_ state: inout some CountedState, at now: Int64) {
        state.moments.dropFirst(expired(state, at: now))
    }

    /// When nothing of it counts any more.
    func end(_ state: borrowing some CountedState) -> Int64 {
        state.moments.last.map { $0 + window } ?? .min
    }

    /// How many no longer count at `now`; they are the oldest.
    func expired(_ state: borrowing some CountedState, at now: Int64) -> Int {
        var old = 0
        while old < state.moments.count, now - state.moments[old] >= window { old += 1 }
        return old
    }
}
