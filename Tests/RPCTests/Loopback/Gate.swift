import Synchronization

/// A gate at which handlers of these tests wait. The test counts them and lets them continue.
final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var entered = 0
        var cancelled = 0
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
        var watching:
            [(isMet: @Sendable (State) -> Bool, watcher: CheckedContinuation<Void, Never>)] =
                []
    }

    private let state = Mutex(State())

    /// How many handlers were cancelled.
    var cancelled: Int { state.withLock { $0.cancelled } }

    /// How many handlers have reached the gate.
    var enteredCount: Int { state.withLock { $0.entered } }

    /// Waits until the gate is open. A cancelled handler is counted; it stops waiting unless it is
    /// stubborn.
    func pass(isStubborn: Bool = false) async throws {
        let number = change { state in
            state.entered += 1
            return state.entered
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isFree = change { state in
                    if state.isOpen || Task.isCancelled && !isStubborn { return true }
                    state.waiting[number] = continuation
                    return false
                }
                if isFree { continuation.resume() }
            }
        } onCancel: {
            let waiter = change { state in
                state.cancelled += 1
                return isStubborn ? nil : state.waiting.removeValue(forKey: number)
            }
            waiter?.resume()
        }
        try Task.checkCancellation()
    }

    /// Opens the gate for all handlers, also for later ones.
    func open() {
        let waiting = change { state in
            state.isOpen = true
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
        for waiter in waiting { waiter.resume() }
    }

    /// Returns once `count` handlers have reached the gate.
    func entered(_ count: Int) async { await until { $0.entered >= count } }

    /// Returns once `count` handlers were cancelled.
    func cancelled(_ count: Int) async { await until { $0.cancelled >= count } }

    private func until(_ isMet: @escaping @Sendable (State) -> Bool) async {
        await withCheckedContinuation { watcher in
            let isMetNow = state.withLock { state in
                if isMet(state) { return true }
                state.watching.append((isMet, watcher))
                return false
            }
            if isMetNow { watcher.resume() }
        }
    }

    private func change<R: Sendable>(_ body: (inout sending State) -> sending R) -> R {
        let (result, met) = state.withLock { state in
            let result = body(&state)
            let met = state.watching.filter { $0.isMet(state) }.map(\.watcher)
            state.watching = state.watching.filter { !$0.isMet(state) }
            return (result, met)
        }
        for watcher in met { watcher.resume() }
        return result
    }
}
