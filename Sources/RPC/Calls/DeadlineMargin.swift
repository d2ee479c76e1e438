import ServiceRuntime

/// How long before a caller's deadline the server's own deadline of the call is, so that its answer
/// arrives in time. Pure.
///
/// The margin grows with the calls in flight. Calls that came together and have one deadline thus
/// pass their deadlines here one after the other, the last begun first, and each has its time to be
/// answered. With one margin for all, 150 calls would be answered in one instant, and on a busy
/// machine too late. The client does not wait beyond the deadline instead: its caller was promised
/// this deadline, and has one of its own.
enum DeadlineMargin {
    /// The margin of a call with `timeout` that begins beside `running` other calls.
    static func of(_ timeout: Duration, besides running: Int) -> Duration {
        let least = FrameLimits.deadlineMargin
        // Nearly every call: no arithmetic.
        guard running > FrameLimits.deadlineMarginCalls else { return least }
        let grown = min(
            least * running / FrameLimits.deadlineMarginCalls, FrameLimits.deadlineMarginMax)
        // A short timeout must not become a refusal.
        return max(least, min(grown, timeout / FrameLimits.deadlineMarginPart))
    }
}
