import Synchronization

/// Wakes one waiting task. A signal without a waiter is stored for the next wait; several count as
/// one.
package final class WakeSignal: Sendable {
    private enum State {
        case idle
        case signalled
        case awaited(CheckedContinuation<Void, Never>)
    }

    private let state = Mutex(State.idle)

    /// A signal that was not sent yet.
    package init() {}

    /// Wakes the waiting task, or makes the next wait return at once.
    package func wake() {
        let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
            if case .awaited(let waiter) = state {
                state = .idle
                return waiter
            }
            state = .signalled
            return nil
        }
        waiter?.resume()
    }

    /// Returns at the next signal, or when the task is cancelled. One task waits at a time.
    package func wait() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isDone = state.withLock { state in
                    switch state {
                    case .awaited: preconditionFailure("two tasks wait for one signal")
                    case .signalled:
                        state = .idle
                        return true
                    case .idle:
                        if Task.isCancelled { return true }
                        state = .awaited(continuation)
                        return false
                    }
                }
                if isDone { continuation.resume() }
            }
        } onCancel: {
            leave()
        }
    }

    /// Returns at the next signal, after `duration`, or when the task is cancelled. It does not
    /// begin to sleep if a signal waits.
    package func wait(atMost duration: Duration, time: any Time) async {
        if takeSignal() { return }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.wait() }
            // Ends early when it is cancelled, and throws then.
            group.addTask { try? await time.sleep(for: duration) }
            await group.next()
            group.cancelAll()
        }
    }

    /// Whether a signal without a waiter was stored; it is not any more.
    private func takeSignal() -> Bool {
        state.withLock { state in
            guard case .signalled = state else { return false }
            state = .idle
            return true
        }
    }

    /// Ends the wait of a cancelled task, without a signal.
    private func leave() {
        let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard case .awaited(let waiter) = state else { return nil }
            state = .idle
            return waiter
        }
        waiter?.resume()
    }
}
