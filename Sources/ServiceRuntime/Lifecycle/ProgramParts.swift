import Synchronization

/// One part of a program as it is now.
package struct PartState: Hashable, Sendable {
    /// `store`, `clock`, `keys`, a log besides (`ratelimit-devices`), or a peer (`session`).
    package let name: String
    /// Why it fails; nil where it works.
    package let trouble: PartTrouble?

    /// The state of a part.
    package init(name: String, trouble: PartTrouble?) {
        self.name = name
        self.trouble = trouble
    }
}

/// The parts that a program needs for some of its calls and serves without: a store that
/// takes no writes, a peer that is away. They are named in health, metrics and `postern status`.
/// What it cannot serve without is in `Readiness`.
package final class ProgramParts: MetricSource {
    private struct State {
        var troubles: [String: @Sendable () -> PartTrouble?] = [:]
        var liveness: [@Sendable () -> Bool] = []
        var published: [PartState] = []
        var watchers: [Int: AsyncStream<Void>.Continuation] = [:]
        var watchersSeen = 0
    }

    private let state = Mutex(State())

    /// None yet.
    package init() {}

    /// Adds a part, whose trouble is asked for at each look.
    package func add(_ name: String, _ trouble: @escaping @Sendable () -> PartTrouble?) {
        state.withLock { $0.troubles[name] = trouble }
    }

    /// Adds something that must turn for the process to be of any use, such as a store's writer.
    package func addLiveness(_ isTurning: @escaping @Sendable () -> Bool) {
        state.withLock { $0.liveness.append(isTurning) }
    }

    /// The parts, in the order of their names.
    package var states: [PartState] {
        let troubles = state.withLock { $0.troubles }
        return troubles.map { PartState(name: $0.key, trouble: $0.value()) }
            .sorted { $0.name < $1.name }
    }

    /// Whether everything turns that must.
    package var isTurning: Bool { state.withLock { $0.liveness }.allSatisfy { $0() } }

    /// Looks at all parts; watchers get an element when one has changed.
    package func look() {
        let states = states
        state.withLock { state in
            guard states != state.published else { return }
            state.published = states
            for watcher in state.watchers.values { watcher.yield() }
        }
    }

    /// An element at each change that `look` finds; several may be one element.
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
