import Synchronization

/// The parts that only some of a program's calls need, so that it serves the others without them
/// for example a store that rejects writes, or a peer that is unreachable. Health, metrics
/// and `postern status` report them. `Readiness` has the parts that every call needs.
package final class ProgramParts: MetricSource {
    private struct State {
        var failures: [String: @Sendable () -> PartCondition.Failure?] = [:]
        var liveness: [@Sendable () -> Bool] = []
        var published: [Part] = []
        var warnings: [String] = []
    }

    private let state = Mutex(State())
    private let watchers = Watchers<Void>()

    /// No parts.
    package init() {}

    /// Adds a part. `failure` is called at each look.
    package func add(_ name: String, _ failure: @escaping @Sendable () -> PartCondition.Failure?) {
        state.withLock { $0.failures[name] = failure }
    }

    /// Adds a liveness check of something without which the process is useless, such as a store's
    /// writer.
    package func addLiveness(_ isAlive: @escaping @Sendable () -> Bool) {
        state.withLock { $0.liveness.append(isAlive) }
    }

    /// The parts, sorted by name.
    package var states: [Part] {
        let failures = state.withLock { $0.failures }
        return failures.map { Part(name: $0.key, failure: $0.value()) }
            .sorted { $0.name < $1.name }
    }

    /// Adds a clause about the settings that an operator should know as long as the program runs.
    /// No part fails for it.
    package func warn(_ clause: String) { state.withLock { $0.warnings.append(clause) } }

    /// What was added by `warn`.
    package var warnings: [String] { state.withLock { $0.warnings } }

    /// Whether all liveness checks succeed.
    package var isAlive: Bool { state.withLock { $0.liveness }.allSatisfy { $0() } }

    /// Checks all parts. Watchers get an element when the state of one has changed.
    package func look() {
        let states = states
        let isChanged = state.withLock { state in
            defer { state.published = states }
            return states != state.published
        }
        if isChanged { watchers.send(()) }
    }

    /// Yields an element when `look` finds a change. Several changes may be one element.
    package func changes() -> AsyncStream<Void> { watchers.stream() }

    /// `postern_degraded{part}`: 1 for a part that fails, 0 for one that works.
    package func write(to page: inout MetricsPage) {
        for part in states {
            page.gauge("degraded", part.failure == nil ? 0 : 1, [("part", part.name)])
        }
    }

    /// The current state of one part of a program.
    package struct Part: Hashable, Sendable {
        /// `store`, `clock`, `keys`, an additional log (`ratelimit-devices`), or a peer
        /// (`session`).
        package let name: String
        /// Why it fails. Nil where it works.
        package let failure: PartCondition.Failure?

        /// The state of a part.
        package init(name: String, failure: PartCondition.Failure?) {
            self.name = name
            self.failure = failure
        }
    }
}

/// The health of one part of a program, reported by the code that uses the part: for example, a
/// store's writer reports each commit. A part may have several sources (a store and its logs), and
/// fails while one of them fails.
package final class PartCondition: Sendable {
    private let failing = Mutex<[String: Failure]>([:])
    private let time: any Time

    /// A part that works.
    package init(time: any Time) {
        self.time = time
    }

    /// The failure of the source that has failed for the longest time. Nil if all sources work.
    package var failure: Failure? {
        failing.withLock { $0.values.min { $0.since < $1.since } }
    }

    /// Reports that a source fails. A source that failed already retains its first moment.
    package func fail(_ source: String, _ detail: String) {
        let now = time.now()
        failing.withLock { failing in
            failing[source] = Failure(since: failing[source]?.since ?? now, detail: detail)
        }
    }

    /// Reports that a source works.
    package func work(_ source: String) {
        failing.withLock { failing in
            if !failing.isEmpty { failing[source] = nil }
        }
    }

    /// A failure of a part of a program.
    package struct Failure: Hashable, Sendable {
        /// When the failure began.
        package let since: Timestamp
        /// A short description for the operator. Every caller may read it, so it contains no path
        /// and no address.
        package let detail: String

        /// A failure since a moment.
        package init(since: Timestamp, detail: String) {
            self.since = since
            self.detail = detail
        }
    }
}
