/// The generic cell rate algorithm (ITU-T I.371, annex A), for limits too large to keep each
/// moment of: one moment says when the bucket is empty again.
///
/// Its common form lets N through at once and N more while that fills again: 2 N − 1 in one
/// window. Ours keeps the limit's word: half of N at once, the rest in even steps, so that in no
/// half-open span of the window are there more than N.
///
/// Rule, with B = ⌈N / 2⌉ at once, a step I = W / (N − B + 1) and `full`, the stored moment:
///
///     full − now       answer
///     ≤ (B − 1) · I    allowed; full = max(full, now) + I
///     more             limited until full − (B − 1) · I; nothing is kept
///
/// Why: before the last of n charges `full` is at least the first one's moment and n − 1 steps, and
/// at most the last one's moment and B − 1 steps. So n ≤ B + t / I, where t, the time between
/// them, is less than W = (N − B + 1) · I, which makes n ≤ N.
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

    /// What a charge at `now` would be answered.
    func answer(_ state: borrowing some CountedState, at now: Int64) -> LimitAnswer {
        let lead = max(0, full(state) - now * 1_000)
        guard lead <= slack else {
            return LimitAnswer(
                isLimited: true, retryAt: now + (lead - slack + 999) / 1_000,
                attempt: Int((lead + step - 1) / step) + 1, resetAt: now + (lead + 999) / 1_000)
        }
        return LimitAnswer(
            remaining: Int((slack - lead) / step), attempt: Int((lead + step - 1) / step) + 1,
            resetAt: now + (lead + step + 999) / 1_000)
    }

    /// Keeps a charge that was allowed.
    func charge(_ state: inout some CountedState, at now: Int64) {
        store(max(full(state), now * 1_000) + step, &state)
    }

    /// Takes of a charge of that moment back what cannot have run off since. The bucket may have
    /// been empty in between but for this charge, and what fills it now be others' charges: to give
    /// a whole step back would leave them uncounted.
    func refund(_ state: inout some CountedState, of moment: Int64, at now: Int64) {
        guard !state.isEmpty else { return }
        store(max(full(state) - rest(of: moment, at: now), moment * 1_000), &state)
    }

    /// Microseconds of a charge of that moment that cannot have run off. None, when the clock has
    /// gone back: then nothing is known.
    func rest(of moment: Int64, at now: Int64) -> Int64 {
        now >= moment ? max(0, step - (now - moment) * 1_000) : 0
    }

    /// Microseconds since 1970 when nothing counts any more.
    private func full(_ state: borrowing some CountedState) -> Int64 {
        state.isEmpty ? 0 : state.moments.base * 1_000 + Int64(state.step)
    }

    private func store(_ full: Int64, _ state: inout some CountedState) {
        state.forget()
        state.moments.insert(full / 1_000)
        state.step = UInt16(clamping: full % 1_000)
    }
}
