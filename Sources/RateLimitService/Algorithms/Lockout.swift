import Contracts

/// A lockout after wrong guesses at a secret (R-02: 5 wrong codes, then 15 minutes). A guess is
/// counted before it is compared, so that parallel guesses cannot pass the limit. A success clears
/// the count.
///
/// Rule, with N attempts, a wait D and F failures in all, g guesses since the last wait and f
/// failures since the last success:
///
///     state at `now`                      answer
///     f ≥ F                               limited until a reset
///     g ≥ N, the latest younger than D    limited until the latest is D old
///     g ≥ N, the latest D old             allowed; g = 1, f + 1
///     g < N                               allowed; g + 1, f + 1
///     success                             g = f = 0
///     f < 5, no guess for D + a day       g = f = 0
///     no guess for 4 days × f, f < F      g = f = 0
///
/// F is 100 by NIST SP 800-63B-4 §3.2.2. The last two lines bound the memory. They allow a patient
/// attacker four guesses a day; for a code each of them needs a message sent to the owner.
struct Lockout: Sendable {
    private static let day: Int64 = 24 * 3_600_000
    private static let quietForEach = 4 * day
    /// Subjects with a few failures are not stored for weeks.
    private static let fewFailures = 4
    let attempts: Int
    /// Milliseconds.
    let lockedFor: Int64
    let failuresMax: Int

    /// The answer that a guess at `now` would get.
    func answer(_ state: borrowing some CountedState, at now: Int64) -> LimitAnswer {
        guard let last = state.moments.last, now < end(state) else {
            return LimitAnswer(remaining: attempts - 1, resetAt: now + quiet(after: 1))
        }
        let guesses = Int(state.step)
        let failures = Int(state.failures)
        guard failures < failuresMax else {
            return LimitAnswer(isLimited: true, attempt: failures + 1)
        }
        let isOpen = guesses < attempts
        guard isOpen || now - last >= lockedFor else {
            return LimitAnswer(
                isLimited: true, retryAt: last + lockedFor, attempt: guesses + 1,
                resetAt: end(state))
        }
        let attempt = isOpen ? guesses + 1 : 1
        return LimitAnswer(
            remaining: min(attempts - attempt, failuresMax - failures - 1), attempt: attempt,
            resetAt: now + quiet(after: failures + 1))
    }

    /// Records a guess that was allowed.
    func charge(_ state: inout some CountedState, at now: Int64) {
        if now >= end(state) { state.forget() }
        let began = state.isEmpty ? now : state.moments[0]
        let latest = max(now, state.moments.last ?? now)
        state.moments.count = 0
        state.moments.insert(began)
        state.moments.insert(latest)
        state.step = Int(state.step) < attempts ? state.step + 1 : 1
        state.failures = UInt16(clamping: Int(state.failures) + 1)
    }

    /// Refunds a guess, unless a success or a reset has already cleared it.
    func refund(_ state: inout some CountedState, of moment: Int64) {
        guard !state.isEmpty, moment >= state.moments[0], state.failures > 0 else { return }
        state.step = state.step > 0 ? state.step - 1 : 0
        state.failures -= 1
        if state.failures == 0 { state.forget() }
    }

    /// When the state no longer counts.
    func end(_ state: borrowing some CountedState) -> Int64 {
        guard let last = state.moments.last else { return .min }
        guard Int(state.failures) < failuresMax else { return .max }
        return last + quiet(after: Int(state.failures))
    }

    /// How long this number of failures counts without a further one, in milliseconds.
    private func quiet(after failures: Int) -> Int64 {
        failures <= Self.fewFailures
            ? lockedFor + Self.day : max(lockedFor, Int64(failures) * Self.quietForEach)
    }
}
