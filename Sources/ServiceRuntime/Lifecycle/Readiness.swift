import Synchronization

/// Whether a program may receive calls: once each of its named parts is ready (its `server`, and
/// each peer that it must have reached), and never again after draining has begun. A part that
/// fails later does not change it (`PartCondition`). Health checks answer from it.
package final class Readiness: Sendable {
    /// The state that health checks report.
    package enum State: Hashable, Sendable {
        /// Not ready: these parts are missing, sorted by name.
        case waiting(parts: [String])
        /// Ready for calls.
        case ready
        /// Stopping: running calls are finished, new ones are rejected.
        case draining
    }

    private struct Parts {
        var waiting: Set<String>
        var isDraining = false
    }

    private let names: Set<String>
    /// It is held while a state is sent, so that the newest comes last.
    private let parts: Mutex<Parts>
    private let watchers = Watchers<State>()

    /// Waits for all of `parts`. Ready at once where there are none.
    package init(parts: [String]) {
        names = Set(parts)
        self.parts = Mutex(Parts(waiting: names))
    }

    /// The current state.
    package var state: State { parts.withLock { Self.state($0) } }

    /// Whether the program may receive calls.
    package var isReady: Bool { state == .ready }

    /// Reports that a part is ready. It stays so.
    package func setReady(_ part: String) {
        precondition(names.contains(part), "the part was passed to Readiness.init")
        change { $0.waiting.remove(part) }
    }

    /// Reports that the program stops. This cannot be undone.
    package func drain() {
        change { $0.isDraining = true }
    }

    /// The current state, then the state after each change. A slow reader gets only the newest.
    package func changes() -> AsyncStream<State> {
        parts.withLock { watchers.stream(Self.state($0)) }
    }

    private func change(_ body: (inout Parts) -> Void) {
        parts.withLock { parts in
            let before = Self.state(parts)
            body(&parts)
            let after = Self.state(parts)
            if after != before { watchers.send(after) }
        }
    }

    private static func state(_ parts: Parts) -> State {
        if parts.isDraining { return .draining }
        return parts.waiting.isEmpty ? .ready : .waiting(parts: parts.waiting.sorted())
    }
}
