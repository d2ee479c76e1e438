package import ServiceRuntime
import Synchronization

/// Time that changes only when a test moves it. Sleeping tasks wake when their time has passed.
///
/// A test that needs code to be asleep first awaits `sleepers(_:)` and then advances the time. So
/// no test depends on the speed of the machine.
package final class ManualTime: Time {
    private let state: Mutex<ManualTimeState>

    /// Starts at `now`; the default is 2026-01-01T00:00:00Z.
    package init(now: Timestamp = Timestamp(milliseconds: 1_767_225_600_000)) {
        state = Mutex(ManualTimeState(now: now))
    }

    /// The current time.
    package func now() -> Timestamp { state.withLock { $0.now } }

    /// How far the time has been moved; it starts at 1,000 seconds.
    package func uptime() -> Duration { state.withLock { $0.uptime } }

    /// The id of this boot. Each `restartAfterBoot(at:)` begins another one.
    package var boot: String? { state.withLock { "boot \($0.boots)" } }

    /// Whether the machine reports that a time server has set its clock: false until a test sets
    /// it.
    package var isWallClockSynchronised: Bool { state.withLock { $0.isSynchronised } }

    /// Sets whether a time server has set the wall clock.
    package func setSynchronised(_ isSynchronised: Bool) {
        state.withLock { $0.isSynchronised = isSynchronised }
    }

    /// The machine's wall clock: the time plus the steps made so far.
    package func wallClock() -> Timestamp { state.withLock { $0.now + $0.step } }

    /// Steps the wall clock. `now()` does not change.
    package func stepWallClock(by step: Duration) { state.withLock { $0.step += step } }

    /// Sets `now()` to `moment`. The wall clock does not change.
    package func goOn(from moment: Timestamp) { state.withLock { $0.goOn(from: moment) } }

    /// Simulates a new process after a boot, when the wall clock shows `wall`. `now()` becomes
    /// `wall`, which may be earlier or later.
    package func restartAfterBoot(at wall: Timestamp) {
        state.withLock { $0.boots += 1 }
        startAgain(at: wall)
    }

    /// Simulates a new process in the same boot, when the wall clock shows `wall`, or its current
    /// value if that is nil.
    package func startAgain(at wall: Timestamp? = nil) {
        let wall = wall ?? wallClock()
        state.withLock { state in
            state.step = .zero
            state.goOn(from: wall)
            state.step = .zero
        }
    }

    /// Advances both clocks and wakes the tasks that are due, in the order of their wake-up times.
    package func advance(by duration: Duration) {
        precondition(duration >= .zero, "time never goes backwards: Time.now")
        for wake in state.withLock({ $0.advance(by: duration) }) { wake.resume() }
    }

    /// Returns when the time has been advanced by `duration`.
    /// - Throws: `CancellationError` if the task is cancelled first.
    package func sleep(for duration: Duration) async throws {
        guard duration > .zero else { return try Task.checkCancellation() }
        let number = state.withLock { $0.takeNumber() }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let refused = state.withLock { state in
                    state.add(number, duration, continuation, isCancelled: Task.isCancelled)
                }
                for watcher in refused.watchers { watcher.resume() }
                if refused.isCancelled { continuation.resume(throwing: CancellationError()) }
            }
        } onCancel: {
            state.withLock { $0.remove(number) }?.resume(throwing: CancellationError())
        }
    }

    /// How many sleeps have begun so far.
    package var sleepsSoFar: Int { state.withLock { $0.numbersTaken } }

    /// Returns once at least `count` tasks are asleep.
    package func sleepers(_ count: Int = 1) async {
        await withCheckedContinuation { continuation in
            let isMet = state.withLock { $0.watch(count, continuation) }
            if isMet { continuation.resume() }
        }
    }
}
