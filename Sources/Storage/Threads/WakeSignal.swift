import Synchronization

/// Wakes one waiting task. A ring while nobody waits is kept for the next who does; several count
/// as one.
final class WakeSignal: Sendable {
    private enum State {
        case silent
        case rung
        case awaited(CheckedContinuation<Void, Never>)

        var isAwaited: Bool { if case .awaited = self { true } else { false } }
    }

    private let state = Mutex(State.silent)

    /// Wakes the one who waits, or the next who will.
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

    /// Returns at the next ring, or when the task is cancelled.
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

    /// Wakes the one who waits, without a ring.
    private func leave() {
        let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard case .awaited(let waiter) = state else { return nil }
            state = .silent
            return waiter
        }
        waiter?.resume()
    }
}
