import Synchronization

/// Whether a program may be sent calls: only once each of its named parts (`store`, `keys`) has
/// said so, and never again after it has begun to drain. Health answers from it.
package final class Readiness: Sendable {
    /// What health says.
    package enum State: Hashable, Sendable {
        /// Not yet, or not now: these parts are missing, in order of their names.
        case waiting(parts: [String])
        /// Send calls.
        case ready
        /// Stopping: what runs is finished, nothing new is taken.
        case draining
    }

    private struct Parts {
        var isReady: [String: Bool]
        var isDraining = false
        var watchers: [Int: AsyncStream<State>.Continuation] = [:]
        var watchersSeen = 0
    }

    private let parts: Mutex<Parts>

    /// Waits for all of `parts`; ready at once where there are none.
    package init(parts: [String]) {
        let waiting = Dictionary(parts.map { ($0, false) }) { first, _ in first }
        self.parts = Mutex(Parts(isReady: waiting))
    }

    /// What holds now.
    package var state: State { parts.withLock { Self.state($0) } }

    /// Whether calls may be sent.
    package var isReady: Bool { state == .ready }

    /// A part has come, or has gone again (a disk that is full, a key that cannot be read).
    package func set(_ part: String, isReady: Bool) {
        change { parts in
            precondition(parts.isReady[part] != nil, "a part is named when Readiness is made")
            parts.isReady[part] = isReady
        }
    }

    /// The program stops; there is no way back.
    package func drain() {
        change { $0.isDraining = true }
    }

    /// The state now and after each change; a slow reader sees the newest only.
    package func changes() -> AsyncStream<State> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: State.self, bufferingPolicy: .bufferingNewest(1))
        let number = parts.withLock { parts in
            parts.watchersSeen += 1
            parts.watchers[parts.watchersSeen] = continuation
            continuation.yield(Self.state(parts))
            return parts.watchersSeen
        }
        continuation.onTermination = { [weak self] _ in
            self?.parts.withLock { _ = $0.watchers.removeValue(forKey: number) }
        }
        return stream
    }

    /// Returns once calls may be sent; false where it never came to that: the program drained, or
    /// the task was cancelled.
    package func untilReady() async -> Bool {
        for await state in changes() {
            switch state {
            case .waiting: continue
            case .ready: return true
            case .draining: return false
            }
        }
        return false
    }

    private func change(_ body: (inout Parts) -> Void) {
        parts.withLock { parts in
            let before = Self.state(parts)
            body(&parts)
            let after = Self.state(parts)
            guard after != before else { return }
            for watcher in parts.watchers.values { watcher.yield(after) }
        }
    }

    private static func state(_ parts: Parts) -> State {
        if parts.isDraining { return .draining }
        let waiting = parts.isReady.filter { !$0.value }.keys.sorted()
        return waiting.isEmpty ? .ready : .waiting(parts: waiting)
    }
}
