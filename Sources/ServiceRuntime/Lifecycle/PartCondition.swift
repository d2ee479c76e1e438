import Synchronization

/// Why a part of a program fails.
package struct PartTrouble: Hashable, Sendable {
    /// When it began.
    package let since: Timestamp
    /// In a few words for the operator; no path and no address, since every caller may read it.
    package let detail: String

    /// Trouble since a moment.
    package init(since: Timestamp, detail: String) {
        self.since = since
        self.detail = detail
    }
}

/// Whether one part of a program works, kept by what uses the part: a store's writer notes each
/// commit. A part may have several sources (a store and its logs) and fails while one of them does.
package final class PartCondition: Sendable {
    private let failing = Mutex<[String: PartTrouble]>([:])
    private let time: any Time

    /// A part that works.
    package init(time: any Time) {
        self.time = time
    }

    /// The trouble of the source that has failed for the longest; nil if all work.
    package var trouble: PartTrouble? {
        failing.withLock { $0.values.min { $0.since < $1.since } }
    }

    /// A source has failed. Of a source that fails already the first moment is kept.
    package func fail(_ source: String, _ detail: String) {
        let now = time.now()
        failing.withLock { failing in
            failing[source] = PartTrouble(since: failing[source]?.since ?? now, detail: detail)
        }
    }

    /// A source works.
    package func work(_ source: String) {
        failing.withLock { failing in
            if !failing.isEmpty { failing[source] = nil }
        }
    }
}
