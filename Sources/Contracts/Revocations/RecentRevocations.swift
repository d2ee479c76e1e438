package import ServiceRuntime
import Synchronization

/// The revoked sessions whose access tokens may not have expired yet: all that a verifier needs
/// besides keys and a clock (S-07).
///
/// Bounded by time: a revocation is dropped when every access token that was issued before it has
/// expired, including the leeway of an offline verifier.
package final class RecentRevocations: Sendable {
    private struct State {
        /// By session key. The keys are plain integers, because the hash of a generic key from
        /// another module is not inlined.
        var ends: [Int64: Timestamp] = [:]
        /// At this count old revocations are purged. It is twice the count after the last purge, so
        /// that purging costs each insertion a constant.
        var purgeAt = RecentRevocations.purgeCountMin
        /// Revocations up to this time were dropped by `forget`.
        var forgottenUpTo = Timestamp(milliseconds: 0)
    }

    private static let purgeCountMin = 1_024
    /// Scanning a hundred thousand entries takes milliseconds, during which every lookup waits.
    private static let forgetsEvery: Duration = .seconds(60)

    private let state = Mutex(State())
    private let insertionCount = Atomic<UInt64>(0)

    /// No revocations.
    package init() {}

    /// Whether the session was revoked, as far as unexpired tokens are concerned.
    package func contains(_ id: SessionID) -> Bool { state.withLock { $0.ends[id.key] != nil } }

    /// Number of insertions so far. A caller that reads this and then finds a session not revoked
    /// need not check again until the number changes: it reads one number instead of taking a lock.
    package var insertions: UInt64 { insertionCount.load(ordering: .acquiring) }

    /// Number of revocations held.
    package var count: Int { state.withLock { $0.ends.count } }

    /// Adds revocations. From time to time it purges those older than `retention` before the
    /// latest.
    package func insert(_ ends: [(session: SessionID, at: Timestamp)], retention: Duration) {
        guard let latest = ends.map(\.at).max() else { return }
        state.withLock { state in
            for end in ends { state.ends[end.session.key] = end.at }
            insertionCount.add(1, ordering: .releasing)
            guard state.ends.count >= state.purgeAt else { return }
            let oldest = latest - retention
            state.ends = state.ends.filter { $0.value > oldest }
            state.purgeAt = max(Self.purgeCountMin, 2 * state.ends.count)
        }
    }

    /// Drops revocations up to `moment`, unless that was done for a time less than a minute before.
    /// It frees the memory of many simultaneous revocations even if no more arrive.
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
