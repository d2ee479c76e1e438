import Synchronization

/// Whether a program may receive calls: once each of its named parts (`store`, `keys`) is ready,
/// and never again after draining has begun. Health checks answer from it.
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
        var isReady: [String: Bool]
        var isDraining = false
    }

    /// It is held while a state is sent, so that the newest comes last.
    private let parts: Mutex<Parts>
    private let watchers = Watchers<State>()

    /// Waits for all of `parts`. Ready at once where there are none.
    package init(parts: [String]) {
        let waiting = Dictionary(parts.map { ($0, false) }) { first, _ in first }
        self.parts = Mutex(Parts(isReady: waiting))
    }

    /// The current state.
    package var state: State { parts.withLock { Self.state($0) } }

    /// Whether the program may receive calls.
    package var isReady: Bool { state == .ready }

    /// Reports that a part is ready, or no longer ready (a full disk, a key that cannot be read).
    package func set(_ part: String, isReady: Bool) {
        change { parts in
            precondition(parts.isReady[part] != nil, "the part was passed to Readiness.init")
            parts.isReady[part] = isReady
        }
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
        let waiting = parts.isReady.filter { !$0.value }.keys.sorted()
        return waiting.isEmpty ? .ready : .waiting(parts: waiting)
    }
}
