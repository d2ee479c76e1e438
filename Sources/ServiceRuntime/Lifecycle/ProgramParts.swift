import Synchronization

/// The current state of one part of a program.
package struct PartState: Hashable, Sendable {
    /// `store`, `clock`, `keys`, an additional log (`ratelimit-devices`), or a peer (`session`).
    package let name: String
    /// Why it fails. Nil where it works.
    package let trouble: PartTrouble?

    /// The state of a part.
    package init(name: String, trouble: PartTrouble?) {
        self.name = name
        self.trouble = trouble
    }
}

/// The parts that only some of a program's calls need, so that it serves the others without them
/// for example a store that rejects writes, or a peer that is unreachable. Health, metrics
/// and `postern status` report them. `Readiness` has the parts that every call needs.
package final class ProgramParts: MetricSource {
    private struct State {
        var troubles: [String: @Sendable () -> PartTrouble?] = [:]
        var liveness: [@Sendable () -> Bool] = []
        var published: [PartState] = []
        var watchers: [Int: AsyncStream<Void>.Continuation] = [:]
        var watchersSeen = 0
    }

    private let state = Mutex(State())

    /// No parts.
    package init() {}

    /// Adds a part. `trouble` is called at each look.
    package func add(_ name: String, _ trouble: @escaping @Sendable () -> PartTrouble?) {
        state.withLock { $0.troubles[name] = trouble }
    }

    /// Adds a liveness check of something without which the process is useless, such as a store's
    /// writer.
    package func addLiveness(_ isTurning: @escaping @Sendable () -> Bool) {
        state.withLock { $0.liveness.append(isTurning) }
    }

    /// The parts, sorted by name.
    package var states: [PartState] {
        let troubles = state.withLock { $0.troubles }
        return troubles.map { PartState(name: $0.key, trouble: $0.value()) }
            .sorted { $0.name < $1.name }
    }

    /// Whether all liveness checks succeed.
    package var isTurning: Bool { state.withLock { $0.liveness }.allSatisfy { $0() } }

    /// Checks all parts. Watchers get an element when the state of one has changed.
    package func look() {
        let states = states
        state.withLock { state in
            guard states != state.published else { return }
            state.published = states
            for watcher in state.watchers.values { watcher.yield() }
        }
    }

    /// Yields an element when `look` finds a change. Several changes may be one element.
    package func changes() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let number = state.withLock { state in
            state.watchersSeen += 1
            state.watchers[state.watchersSeen] = continuation
            return state.watchersSeen
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { _ = $0.watchers.removeValue(forKey: number) }
        }
        return stream
    }

    /// `postern_degraded{part}`: 1 for a part that fails, 0 for one that works.
    package func write(to page: inout MetricsPage) {
        for part in states {
            page.gauge("degraded", part.trouble == nil ? 0 : 1, [("part", part.name)])
        }
    }
}
