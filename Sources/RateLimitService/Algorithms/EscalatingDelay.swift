/// Escalating delays between requests (R-01: 0, 1, 5, 15, 30 minutes).
///
/// Rule, with delays d₀ … dₙ, a quiet time Q and a cap of P in any 24 hours:
///
///     state at `now`                             answer
///     no request yet, or step 0                  allowed once d₀ has passed since the latest
///     step r, latest request at t                allowed at t + d of min(r, n), else limited
///     P requests in the last 24 hours            limited until the Pth youngest is 24 h old
///     an allowed request                         step + 1 (n at most), latest = now
///     each whole Q without a request             step − 1, 0 at least
///     success                                    step 0; the daily cap still counts
///
/// If the delays started over after each wait, they would never grow; hence one step down for each
/// quiet day. A success does not reset the cap. Otherwise a sender who can confirm codes could have
/// an unlimited number of messages sent.
struct EscalatingDelay: Sendable {
    private static let day: Int64 = 24 * 3_600_000
    private let delays: InlineArray<8, Int64>
    private let top: Int
    private let quiet: Int64
    private let dailyCap: SlidingWindowLog

    /// Requests allowed in any 24 hours.
    var perDay: Int { dailyCap.count }

    /// All times in milliseconds; 1 to 8 delays, 1 to 64 a day.
    init(delays: [Int64], quiet: Int64, perDay: Int) {
        var held = InlineArray<8, Int64>(repeating: delays.last ?? 0)
        for (rung, delay) in delays.prefix(8).enumerated() { held[rung] = delay }
        self.delays = held
        top = max(0, min(delays.count, 8) - 1)
        self.quiet = quiet
        dailyCap = SlidingWindowLog(count: perDay, window: Self.day)
    }

    /// The answer that a request at `now` would get.
    func answer(_ state: borrowing some CountedState, at now: Int64) -> LimitAnswer {
        let capped = dailyCap.answer(state, at: now)
        let rung = rung(state, at: now)
        let next = state.moments.last.map { $0 + delays[min(rung, top)] } ?? now
        let retryAt = max(next, capped.retryAt ?? next)
        let resetAt = max(now + Self.day, now + Int64(rung + 1) * quiet)
        guard !capped.isLimited, next <= now else {
            return LimitAnswer(
                isLimited: true, retryAt: retryAt, attempt: rung + 1, resetAt: resetAt)
        }
        return LimitAnswer(remaining: capped.remaining, attempt: rung + 1, resetAt: resetAt)
    }

    /// Records a request that was allowed.
    func charge(_ state: inout some CountedState, at now: Int64) {
        let rung = rung(state, at: now)
        state.failures = rung < top ? 0 : UInt16(clamping: Int(state.failures) + 1)
        state.step = UInt16(min(rung + 1, top))
        dailyCap.charge(&state, at: now)
    }

    /// Refunds a request of that moment together with its step. If the request before it is too old
    /// to derive the step from, the refunded one still counts for the daily cap.
    func refund(_ state: inout some CountedState, of moment: Int64) {
        guard state.moments.contains(moment) else { return }
        if state.failures > 0 {
            state.failures -= 1
        } else if state.step > 0 {
            state.step -= 1
        }
        let isDerivable = lastBesides(moment, state).map { moment - $0 < quiet } ?? false
        if isDerivable || state.step == 0 { state.moments.remove(moment) }
    }

    /// The latest request other than one of that moment.
    private func lastBesides(
        _ moment: Int64, _ state: borrowing some CountedState
    ) -> Int64? {
        let count = state.moments.count
        guard let last = state.moments.last, last == moment else { return state.moments.last }
        return count > 1 ? state.moments[count - 2] : nil
    }

    /// When the state no longer counts.
    func end(_ state: borrowing some CountedState) -> Int64 {
        guard let last = state.moments.last else { return .min }
        return last + max(Self.day, Int64(state.step) * quiet)
    }

    /// The step after the quiet times since the latest request.
    private func rung(_ state: borrowing some CountedState, at now: Int64) -> Int {
        guard let last = state.moments.last, now > last else { return Int(state.step) }
        return Int(max(0, Int64(state.step) - (now - last) / quiet))
    }
}
