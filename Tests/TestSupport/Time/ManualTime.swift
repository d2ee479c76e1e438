package import ServiceRuntime
import Synchronization

/// Time that stands still until a test moves it; whoever sleeps wakes as it passes.
///
/// A test that waits for code to fall asleep first awaits `sleepers(_:)`, then advances: nothing
/// depends on how fast the machine is.
package final class ManualTime: Time {
    private let state: Mutex<ManualTimeState>

    /// Stands at `now`; the default is 2026-01-01T00:00:00Z.
    package init(now: Timestamp = Timestamp(milliseconds: 1_767_225_600_000)) {
        state = Mutex(ManualTimeState(now: now))
    }

    /// Where the time stands.
    package func now() -> Timestamp { state.withLock { $0.now } }

    /// How far it has been moved, from 1,000 seconds on.
    package func uptime() -> Duration { state.withLock { $0.uptime } }

    /// Which boot this is: another one after each `startAnew(at:)`.
    package var boot: String? { state.withLock { "boot \($0.boots)" } }

    /// Whether the machine says that a time server has set its clock: not before a test says so.
    package var isWallClockSynchronised: Bool { state.withLock { $0.isSynchronised } }

    /// Says that a time server has set the wall clock, or that none has.
    package func setSynchronised(_ isSynchronised: Bool) {
        state.withLock { $0.isSynchronised = isSynchronised }
    }

    /// What the machine's wall clock shows: the time, and by how much it was stepped.
    package func wallClock() -> Timestamp { state.withLock { $0.now + $0.step } }

    /// Steps the wall clock; the time goes on as before.
    package func stepWallClock(by step: Duration) { state.withLock { $0.step += step } }

    /// Counts from `moment` on; the wall clock stays where it is.
    package func goOn(from moment: Timestamp) { state.withLock { $0.goOn(from: moment) } }

    /// What a new process sees after a boot when the wall clock shows `wall`: the time is that,
    /// earlier or later.
    package func startAnew(at wall: Timestamp) {
        state.withLock { $0.boots += 1 }
        startAgain(at: wall)
    }

    /// What a new process sees in the same boot when the wall clock shows `wall`; without one,
    /// whatever that shows.
    package func startAgain(at wall: Timestamp? = nil) {
        let wall = wall ?? wallClock()
        state.withLock { state in
            state.step = .zero
            state.goOn(from: wall)
            state.step = .zero
        }
    }

    /// Moves both clocks on and wakes, in order of their moments, all whose time has come.
    package func advance(by duration: Duration) {
        precondition(duration >= .zero, "time never goes backwards: Time.now")
        for wake in state.withLock({ $0.advance(by: duration) }) { wake.resume() }
    }

    /// Returns when the time has been moved so far.
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

    /// Returns once at least `count` tasks are asleep.
    package func sleepers(_ count: Int = 1) async {
        await withCheckedContinuation { continuation in
            let isMet = state.withLock { $0.watch(count, continuation) }
            if isMet { continuation.resume() }
        }
    }
}
