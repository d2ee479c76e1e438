import ServiceRuntime
import Synchronization

/// When sessions were last used, as far as their rows do not tell yet (S-05).
///
/// A validation leaves a mark here and writes nothing; `ActivityFlusher` brings the marks of an
/// interval to disk together. Whoever asks how long a session has been idle takes the later of row
/// and mark (`applied`). A crash loses the marks of the last interval at most; a row is only ever
/// moved forward, so no loss shortens a session below its last refresh.
final class Activity: Sendable {
    /// Sessions marked between two writings: 40 MB of memory at most. Further ones live by their
    /// last refresh, as they would without this.
    static let marksMax = 1 << 20

    private struct State {
        /// By sessions' keys, since marks last departed. Plain integers, because the hash of a
        /// generic key from another module is not inlined.
        var marks: [Int64: Timestamp] = [:]
        /// Departed, and not known to be on disk.
        var underway: [Int64: Timestamp] = [:]
    }

    private let state = Mutex(State())
    private let marksMax: Int

    init(marksMax: Int = Activity.marksMax) {
        self.marksMax = marksMax
    }

    /// Notes that a session is used now. On the hot path: one lock and one look-up.
    func mark(_ id: SessionID, at moment: Timestamp) {
        state.withLock { state in
            guard state.marks.count < marksMax || state.marks[id.key] != nil else { return }
            state.marks[id.key] = moment
        }
    }

    /// The session, used when row or mark says, whichever is later.
    func applied(to session: Session) -> Session {
        let key = session.id.key
        let mark = state.withLock { $0.marks[key] ?? $0.underway[key] }
        guard let mark, mark > session.usedAt else { return session }
        var session = session
        session.usedAt = mark
        return session
    }

    /// How many sessions are marked and not yet on disk.
    var count: Int { state.withLock { $0.marks.count + $0.underway.count } }

    /// Puts the marks so far on their way to disk; until `wrote` they still count.
    func depart() {
        state.withLock { state in
            if state.underway.isEmpty {
                // Moved, not copied: there may be a million.
                state.underway = state.marks
            } else {
                // What was not written last time goes again, unless there is a later mark.
                state.underway.merge(state.marks) { max($0, $1) }
            }
            state.marks = [:]
        }
    }

    /// Some of those on their way.
    func departed(upTo count: Int) -> [ActivityMark] {
        state.withLock { state in
            state.underway.prefix(count).map { ActivityMark(key: $0.key, at: $0.value) }
        }
    }

    /// Forgets marks that are on disk; not later ones of the same sessions, which may have departed
    /// while these were written.
    func wrote(_ marks: [ActivityMark]) {
        state.withLock { state in
            for mark in marks where state.underway[mark.key] == mark.at {
                state.underway[mark.key] = nil
            }
            // Gives the memory back.
            if state.underway.isEmpty { state.underway = [:] }
        }
    }
}

/// A session's latest use.
struct ActivityMark: Hashable, Sendable {
    /// The session's.
    let key: Int64
    let at: Timestamp
}
