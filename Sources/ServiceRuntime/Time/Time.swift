/// Where time comes from: the system in programs, a hand-moved value in tests.
///
/// Two clocks, because they answer different questions: `now()` is what rows and tokens are
/// stamped with; `uptime()` measures how long something took and when a deadline is over.
package protocol Time: Sendable {
    /// The present moment. Never goes backwards while a program runs.
    func now() -> Timestamp

    /// Time since some fixed point before the program started; goes on while a machine sleeps.
    func uptime() -> Duration

    /// Returns once `duration` has passed.
    /// - Throws: `CancellationError` when the task is cancelled before that.
    func sleep(for duration: Duration) async throws
}
