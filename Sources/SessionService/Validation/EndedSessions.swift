import ServiceRuntime
import Synchronization

/// A session and when it ended.
struct EndedSession: Hashable, Sendable {
    let id: SessionID
    let at: Timestamp
}

/// The sessions whose access tokens may still be young although they have ended: all that
/// validation must know besides key and clock (S-07).
///
/// Bounded by time: an end is forgotten once every access token that was given before it has
/// expired, here and, with its leeway, at any offline verifier. The set is filled from the store
/// at start, and after each commit that ends a session, before its caller is answered.
final class EndedSessions: Sendable {
    private struct State {
        var ends: [SessionID: Timestamp] = [:]
        /// At this many the old ones go; twice what the last purge left, so that purging costs
        /// each insertion a constant.
        var purgeAt = EndedSessions.purgeCountMin
    }

    private static let purgeCountMin = 1_024

    private let retention: Duration
    private let state: Mutex<State>

    /// - Parameters:
    ///   - ends: those of the last `retention`.
    ///   - retention: the longest life of an access token, and the leeway of verifiers.
    init(_ ends: [EndedSession], retention: Duration) {
        self.retention = retention
        state = Mutex(State())
        insert(ends)
    }

    /// Whether the session has ended, as far as tokens that have not expired are concerned.
    func contains(_ id: SessionID) -> Bool { state.withLock { $0.ends[id] != nil } }

    /// How many are remembered.
    var count: Int { state.withLock { $0.ends.count } }

    /// Adds ends, and forgets old ones now and then.
    func insert(_ ends: [EndedSession]) {
        guard let latest = ends.map(\.at).max() else { return }
        state.withLock { state in
            for end in ends { state.ends[end.id] = end.at }
            guard state.ends.count >= state.purgeAt else { return }
            let oldest = latest - retention
            state.ends = state.ends.filter { $0.value > oldest }
            state.purgeAt = max(Self.purgeCountMin, 2 * state.ends.count)
        }
    }
}
