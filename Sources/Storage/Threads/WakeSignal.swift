import Synchronization

/// Wakes one waiting task. A signal without a waiter is kept for the next one; several count as
/// one.
final class WakeSignal: Sendable {
    private enum State {
        case silent
        case rung
        case awaited(CheckedContinuation<Void, Never>)

        var isAwaited: Bool { if case .awaited = self { true } else { false } }
    }

    private let state = Mutex(State.silent)

    /// Wakes the waiting task, or the next one that waits.
    func wake() {
        let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
            if case .awaited(let waiter) = state {
                state = .silent
                return waiter
            }
            state = .rung
            return nil
        }
        waiter?.resume()
    }

    /// Returns at the next signal, or when the task is cancelled.
    func wait() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isDone = state.withLock { state in
                    if case .rung = state {
                        state = .silent
                        return true
                    }
                    if Task.isCancelled { return true }
                    precondition(!state.isAwaited, "one task waits on a wakeSignal")
                    state = .awaited(continuation)
                    return false
                }
                if isDone { continuation.resume() }
            }
        } onCancel: {
            leave()
        }
    }

    /// Wakes the waiting task on cancellation, without a signal.
    private func leave() {
        let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard case .awaited(let waiter) = state else { return nil }
            state = .silent
            return waiter
        }
        waiter?.resume()
    }
}
