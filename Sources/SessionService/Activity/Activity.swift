import Logging
import ServiceRuntime
import Storage
import Synchronization

/// The last uses of sessions that are not yet in their rows (S-05).
///
/// A validation sets a mark here and writes nothing. `SessionMaintenance` writes the marks of an
/// interval to disk together. The last use of a session is the later of row and mark (`applied`). A
/// crash loses at most the marks of the last interval. A row only moves forward, so a crash never
/// ends a session earlier than its last refresh allows.
final class Activity: Sendable {
    /// Marked sessions between two flushes: at most 40 MB of memory. Further ones count from their
    /// last refresh, as they would without this.
    static let marksMax = 1 << 20

    /// A session's latest use.
    struct Mark: Hashable, Sendable {
        /// The session's key.
        let key: Int64
        let at: Timestamp
    }

    private struct State {
        /// Marks since the last flush began, by session key. Plain integers, because the hash of a
        /// generic key from another module is not inlined.
        var marks: [Int64: Timestamp] = [:]
        /// Being flushed, and not known to be on disk.
        var underway: [Int64: Timestamp] = [:]
    }

    private let state = Mutex(State())
    private let marksMax: Int

    init(marksMax: Int = Activity.marksMax) {
        self.marksMax = marksMax
    }

    /// Records that a session is used now. On the hot path: one lock and one look-up.
    func mark(_ id: SessionID, at moment: Timestamp) {
        state.withLock { state in
            guard state.marks.count < marksMax || state.marks[id.key] != nil else { return }
            state.marks[id.key] = moment
        }
    }

    /// The session with the later last use of row and mark.
    func applied(to session: Session) -> Session {
        let key = session.id.key
        let mark = state.withLock { $0.marks[key] ?? $0.underway[key] }
        guard let mark, mark > session.usedAt else { return session }
        var session = session
        session.usedAt = mark
        return session
    }

    /// The number of marked sessions that are not yet on disk.
    var count: Int { state.withLock { $0.marks.count + $0.underway.count } }

    /// Starts a flush of the current marks. They still count until `flushed`.
    func beginFlush() {
        state.withLock { state in
            if state.underway.isEmpty {
                // Moved, not copied: there may be a million.
                state.underway = state.marks
            } else {
                // Marks that failed to be written are included again, unless there is a later mark.
                state.underway.merge(state.marks) { max($0, $1) }
            }
            state.marks = [:]
        }
    }

    /// Some of the marks being flushed.
    func flushing(upTo count: Int) -> [Mark] {
        state.withLock { state in
            state.underway.prefix(count).map { Mark(key: $0.key, at: $0.value) }
        }
    }

    /// Removes marks that are on disk, but not later ones of the same sessions, which a flush may
    /// have picked up while these were written.
    func flushed(_ marks: [Mark]) {
        state.withLock { state in
            for mark in marks where state.underway[mark.key] == mark.at {
                state.underway[mark.key] = nil
            }
            // Frees the memory.
            if state.underway.isEmpty { state.underway = [:] }
        }
    }
}

extension Activity {
    /// Rows in one transaction: about 2 ms, so that a refresh never waits long for it.
    private static let stepRows = 256

    /// Writes all current marks to the store. Marks that it does not accept are kept for the next
    /// call.
    func write(to store: Store, _ logger: Logger) async {
        beginFlush()
        while case let step = flushing(upTo: Self.stepRows), !step.isEmpty {
            do {
                try await store.write(about: [], evenIfCancelled: true) { transaction in
                    for mark in step { try transaction.recordUse(mark) }
                }
            } catch {
                logger.warning(
                    "session.activity.write.failed", "writing session activity failed",
                    fields: [.count: .count(count), .detail: .error(error)])
                return
            }
            flushed(step)
        }
    }
}

extension Transaction {
    /// Moves a session's last use forward, never back.
    func recordUse(_ mark: Activity.Mark) throws {
        try put(
            """
            UPDATE session SET used_at_ms = ?
            WHERE id = ? AND used_at_ms < ? AND ended_at_ms IS NULL
            """,
            [SQLValue(mark.at), .integer(mark.key), SQLValue(mark.at)])
    }
}
