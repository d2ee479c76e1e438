package import ServiceRuntime
import Synchronization

/// The sessions whose access tokens may still be young although they have ended: all that a
/// verifier must know besides keys and clock (S-07).
///
/// Bounded by time: an end is forgotten once every access token that was given before it has
/// expired, with the leeway of an offline verifier.
package final class RecentRevocations: Sendable {
    private struct State {
        /// By sessions' keys: plain integers, because the hash of a generic key from another module
        /// is not inlined.
        var ends: [Int64: Timestamp] = [:]
        /// At this many the old ones go; twice what the last purge left, so that purging costs
        /// each insertion a constant.
        var purgeAt = RecentRevocations.purgeCountMin
        /// Ends up to then were forgotten by `forget`.
        var forgottenUpTo = Timestamp(milliseconds: 0)
    }

    private static let purgeCountMin = 1_024
    /// Looking through a hundred thousand takes milliseconds, for which every look-up waits.
    private static let forgetsEvery: Duration = .seconds(60)

    private let state = Mutex(State())
    private let insertionCount = Atomic<UInt64>(0)

    /// No ends.
    package init() {}

    /// Whether the session has ended, as far as tokens that have not expired are concerned.
    package func contains(_ id: SessionID) -> Bool { state.withLock { $0.ends[id.key] != nil } }

    /// How often ends have been added. Who reads this, then finds that a session has not ended, need
    /// not look again until it has changed: one number to read instead of a lock.
    package var insertions: UInt64 { insertionCount.load(ordering: .acquiring) }

    /// How many are remembered.
    package var count: Int { state.withLock { $0.ends.count } }

    /// Adds ends, and forgets now and then those that are older than `keptFor` before the latest.
    package func insert(_ ends: [(session: SessionID, at: Timestamp)], keptFor: Duration) {
        guard let latest = ends.map(\.at).max() else { return }
        state.withLock { state in
            for end in ends { state.ends[end.session.key] = end.at }
            insertionCount.add(1, ordering: .releasing)
            guard state.ends.count >= state.purgeAt else { return }
            let oldest = latest - keptFor
            state.ends = state.ends.filter { $0.value > oldest }
            state.purgeAt = max(Self.purgeCountMin, 2 * state.ends.count)
        }
    }

    /// Forgets ends up to `moment`, unless that was done for a moment less than a minute before. So
    /// what many ends at once have taken is given back while no further ones come.
    package func forget(upTo moment: Timestamp) {
        state.withLock { state in
            guard !state.ends.isEmpty, moment - state.forgottenUpTo >= Self.forgetsEvery else {
                return
            }
            state.forgottenUpTo = moment
            state.ends = state.ends.filter { $0.value > moment }
            state.purgeAt = max(Self.purgeCountMin, 2 * state.ends.count)
        }
    }
}
