/// Where time comes from: the system in programs, a hand-moved value in tests.
///
/// Two clocks, because they answer different questions: `now()` is what rows and tokens are
/// stamped with; `uptime()` measures how long something took and when a deadline is over.
package protocol Time: Sendable {
    /// The present moment. Never goes backwards while a program runs.
    func now() -> Timestamp

    /// Time since some fixed point before the program started; goes on while a machine sleeps.
    func uptime() -> Duration

    /// Which boot of the machine `uptime()` belongs to; nil when that cannot be told. Readings of
    /// two programs in one boot can be compared.
    var boot: String? { get }

    /// Whether a time server has set the machine's wall clock since it booted.
    var isWallClockSynchronised: Bool { get }

    /// The present moment in nanoseconds since 1970, as finely as the clock tells it: for traces,
    /// where the spans of several programs are laid side by side.
    func unixNanoseconds() -> UInt64

    /// What the machine's wall clock shows now: unlike `now()` it can be stepped either way. Only
    /// for watching it.
    func wallClock() -> Timestamp

    /// From here on `now()` counts from `moment`. For a start, before anything is stamped, and for
    /// an operator's word: forward, then, never back.
    func goOn(from moment: Timestamp)

    /// Returns once `duration` has passed.
    /// - Throws: `CancellationError` when the task is cancelled before that.
    func sleep(for duration: Duration) async throws
}

extension Time {
    /// The moment of `now()`, which has whole milliseconds.
    package func unixNanoseconds() -> UInt64 {
        UInt64(clamping: now().milliseconds).multipliedReportingOverflow(by: 1_000_000).partialValue
    }
}
