import ServiceRuntime
import Synchronization

/// What an idle worker waits for: a wake-up or a timeout. A wake-up before the wait ends the wait
/// at once.
final class DeliverySignal: Sendable {
    private struct State {
        var isRung = false
        var sleeper: Task<Void, Never>?
    }

    private let state = Mutex(State())

    /// Wakes the worker, or makes its next wait return at once.
    func wake() {
        let sleeper = state.withLock { state in
            state.isRung = true
            return state.sleeper
        }
        sleeper?.cancel()
    }

    /// Returns at the next wake-up, after `duration`, or when the task is cancelled.
    func wait(atMost duration: Duration, time: any Time) async {
        let sleeper = state.withLock { state -> Task<Void, Never>? in
            if state.isRung { return nil }
            // Cancelling this task is the wake-up.
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
        // The worker reads the store after this, so it sees the cause of every wake-up up to here.
        state.withLock { $0 = State() }
    }
}
