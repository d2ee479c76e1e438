import ServiceRuntime
import Synchronization

/// What a worker with nothing to do waits for: a ring, or a moment. A ring that comes before the
/// wait ends it at once.
final class DeliverySignal: Sendable {
    private struct State {
        var isRung = false
        var sleeper: Task<Void, Never>?
    }

    private let state = Mutex(State())

    /// Wakes the worker, or keeps it from falling asleep.
    func wake() {
        let sleeper = state.withLock { state in
            state.isRung = true
            return state.sleeper
        }
        sleeper?.cancel()
    }

    /// Returns at the next ring, after `duration`, or when the task is cancelled.
    func wait(atMost duration: Duration, time: any Time) async {
        let sleeper = state.withLock { state -> Task<Void, Never>? in
            if state.isRung { return nil }
            // Cancellation is the ring.
            let sleeper = Task { _ = try? await time.sleep(for: duration) }
            state.sleeper = sleeper
            return sleeper
        }
        if let sleeper {
            await withTaskCancellationHandler {
                await sleeper.value
            } onCancel: {
                sleeper.cancel()
            }
        }
        // Whoever wakes looks at the store, and so sees what a ring up to here was about.
        state.withLock { $0 = State() }
    }
}
