/// The generic cell rate algorithm (ITU-T I.371, annex A), for limits too large to store each
/// moment: one moment says when the bucket is empty again.
///
/// Its usual form allows N at once and N more while the bucket drains: 2 N − 1 in one window. This
/// one allows half of N at once and the rest in even steps, so that no half-open span of the window
/// has more than N.
///
/// Rule, with B = ⌈N / 2⌉ at once, a step I = W / (N − B + 1) and `full`, the stored moment:
///
///     full − now       answer
///     ≤ (B − 1) · I    allowed; full = max(full, now) + I
///     more             limited until full − (B − 1) · I; nothing is stored
///
/// A charge of A units, up to B, is A charges at one moment, all or none of which pass: allowed up to
/// (B − A) · I, and full grows by A · I.
///
/// Proof: before the last of n charges `full` is at least the first one's moment plus n − 1 steps,
/// and at most the last one's moment plus B − 1 steps. So n ≤ B + t / I, where t, the time between
/// them, is less than W = (N − B + 1) · I. Hence n ≤ N.
struct GCRA: Sendable {
    /// Charges allowed at once.
    let burst: Int64
    /// One step, microseconds, rounded up.
    let step: Int64

    /// At most `count`, 2 or more, in any span of `window` milliseconds.
    init(count: Int, window: Int64) {
        burst = (Int64(count) + 1) / 2
        let steps = Int64(count) - burst + 1
        step = (window * 1_000 + steps - 1) / steps
    }

    private var slack: Int64 { (burst - 1) * step }

    /// The answer that a charge of `units`, 1 to `burst`, would get at `now`.
    func answer(
        _ state: borrowing some CountedState, of units: Int = 1, at now: Int64
    ) -> LimitAnswer {
        let lead = max(0, full(state) - now * 1_000)
        let room = slack - Int64(units - 1) * step
        guard lead <= room else {
            return LimitAnswer(
                isLimited: true, retryAt: now + (lead - room + 999) / 1_000,
                attempt: Int((lead + step - 1) / step) + 1, resetAt: now + (lead + 999) / 1_000)
        }
        return LimitAnswer(
            remaining: Int((room - lead) / step), attempt: Int((lead + step - 1) / step) + 1,
            resetAt: now + (lead + Int64(units) * step + 999) / 1_000)
    }

    /// Records a charge that was allowed.
    func charge(_ state: inout some CountedState, of units: Int = 1, at now: Int64) {
        store(max(full(state), now * 1_000) + Int64(units) * step, &state)
    }

    /// Refunds the part of a charge of that moment that cannot have drained since. Without this
    /// charge the bucket may have been empty in between, and what fills it now may be other
    /// charges. Refunding all of its steps would leave those uncounted.
    func refund(
        _ state: inout some CountedState, of moment: Int64, _ units: Int = 1, at now: Int64
    ) {
        guard !state.isEmpty else { return }
        let rest = rest(of: moment, units, at: now)
        store(max(full(state) - rest, moment * 1_000), &state)
    }

    /// The microseconds of a charge of that moment that cannot have drained. It is 0 if the clock
    /// has gone back, because nothing is known then.
    func rest(of moment: Int64, _ units: Int = 1, at now: Int64) -> Int64 {
        now >= moment ? max(0, Int64(units) * step - (now - moment) * 1_000) : 0
    }

    /// Microseconds since 1970 when the bucket is empty.
    private func full(_ state: borrowing some CountedState) -> Int64 {
        state.isEmpty ? 0 : state.moments.base * 1_000 + Int64(state.step)
    }

    private func store(_ full: Int64, _ state: inout some CountedState) {
        state.forget()
        state.moments.insert(full / 1_000)
        state.step = UInt16(clamping: full % 1_000)
    }
}
