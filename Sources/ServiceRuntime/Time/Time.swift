/// The source of time: the system's clocks in programs, a fake clock in tests.
///
/// It has two clocks for different purposes: `now()` stamps rows and tokens; `uptime()` measures
/// durations and deadlines.
package protocol Time: Sendable {
    /// The current time. Never goes backwards while a program runs.
    func now() -> Timestamp

    /// Time since a fixed point before the program started. Includes the time that the machine
    /// sleeps.
    func uptime() -> Duration

    /// The boot of the machine that `uptime()` belongs to. Nil when it is unknown. Readings of two
    /// programs within one boot can be compared.
    var boot: String? { get }

    /// Whether a time server has set the machine's wall clock since it booted.
    var isWallClockSynchronised: Bool { get }

    /// The current time in nanoseconds since 1970, as precise as the clock is. For traces, which
    /// compare spans of several programs.
    func unixNanoseconds() -> UInt64

    /// The machine's wall clock. Unlike `now()`, it can be stepped in either direction. Use it only
    /// to watch for steps.
    func wallClock() -> Timestamp

    /// Makes `now()` continue from `moment`. Used at a start, before anything is stamped, and when
    /// an operator accepts the clock; then only forwards, never back.
    func goOn(from moment: Timestamp)

    /// Returns once `duration` has passed.
    /// - Throws: `CancellationError` when the task is cancelled before that.
    func sleep(for duration: Duration) async throws
}

extension Time {
    /// `now()`, which has millisecond precision, in nanoseconds.
    package func unixNanoseconds() -> UInt64 {
        UInt64(clamping: now().milliseconds).multipliedReportingOverflow(by: 1_000_000).partialValue
    }
}
