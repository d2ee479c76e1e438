import Synchronization

/// A failure of a part of a program.
package struct PartTrouble: Hashable, Sendable {
    /// When the failure began.
    package let since: Timestamp
    /// A short description for the operator. Every caller may read it, so it contains no path and
    /// no address.
    package let detail: String

    /// A failure since a moment.
    package init(since: Timestamp, detail: String) {
        self.since = since
        self.detail = detail
    }
}

/// The health of one part of a program, reported by the code that uses the part: for example, a
/// store's writer reports each commit. A part may have several sources (a store and its logs), and
/// fails while one of them fails.
package final class PartCondition: Sendable {
    private let failing = Mutex<[String: PartTrouble]>([:])
    private let time: any Time

    /// A part that works.
    package init(time: any Time) {
        self.time = time
    }

    /// The trouble of the source that has failed for the longest time. Nil if all sources work.
    package var trouble: PartTrouble? {
        failing.withLock { $0.values.min { $0.since < $1.since } }
    }

    /// Reports that a source fails. Where it failed already, the first moment is kept.
    package func fail(_ source: String, _ detail: String) {
        let now = time.now()
        failing.withLock { failing in
            failing[source] = PartTrouble(since: failing[source]?.since ?? now, detail: detail)
        }
    }

    /// Reports that a source works.
    package func work(_ source: String) {
        failing.withLock { failing in
            if !failing.isEmpty { failing[source] = nil }
        }
    }
}
