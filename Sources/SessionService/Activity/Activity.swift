import ServiceRuntime
import Synchronization

/// When sessions were last used, as far as their rows do not tell yet (S-05).
///
/// A validation leaves a mark here and writes nothing; `ActivityWriting` brings the marks of an
/// interval to disk together. Whoever asks how long a session has been idle takes the later of row
/// and mark (`applied`). A crash loses the marks of the last interval at most; a row is only ever
/// moved forward, so no loss shortens a session below its last refresh.
final class Activity: Sendable {
    /// Sessions marked between two writings: 40 MB of memory at most. Further ones live by their
    /// last refresh, as they would without this.
    static let marksMax = 1 << 20

    private struct State {
        /// Since the marks were last taken for writing.
        var marks: [SessionID: Timestamp] = [:]
        /// Taken, and not known to be on disk.
        var underway: [SessionID: Timestamp] = [:]
    }

    private let state = Mutex(State())
    private let marksMax: Int

    init(marksMax: Int = Activity.marksMax) {
        self.marksMax = marksMax
    }

    /// Notes that a session is used now. On the hot path: one lock and one look-up.
    func mark(_ id: SessionID, at moment: Timestamp) {
        state.withLock { state in
            guard state.marks.count < marksMax || state.marks[id] != nil else { return }
            state.marks[id] = moment
        }
    }

    /// The session, used when row or mark says, whichever is later.
    func applied(to session: Session) -> Session {
        let mark = state.withLock { $0.marks[session.id] ?? $0.underway[session.id] }
        guard let mark, mark > session.usedAt else { return session }
        var session = session
        session.usedAt = mark
        return session
    }

    /// How many sessions are marked and not yet on disk.
    var count: Int { state.withLock { $0.marks.count + $0.underway.count } }

    /// Takes the marks for writing; until `wrote` they still count.
    func take() -> [ActivityMark] {
        state.withLock { state in
            // What was not written last time goes again, unless there is a later mark.
            state.underway.merge(state.marks) { max($0, $1) }
            state.marks.removeAll(keepingCapacity: state.marks.count < marksMax / 2)
            return state.underway.map { ActivityMark(session: $0.key, at: $0.value) }
        }
    }

    /// Forgets marks that are on disk.
    func wrote(_ marks: some Sequence<ActivityMark>) {
        state.withLock { state in
            for mark in marks { state.underway[mark.session] = nil }
        }
    }
}

/// A session's latest use.
struct ActivityMark: Hashable, Sendable {
    let session: SessionID
    let at: Timestamp
}
