import Contracts
import ServiceRuntime

/// A session and when it ended.
struct RevokedSession: Hashable, Sendable {
    let id: SessionID
    let at: Timestamp
}

/// Ended sessions whose access tokens may not have expired (S-07). The set is filled from the store
/// at start, and after each commit that ends a session, before its caller gets the response;
/// followers are notified after that.
final class RevokedSessions: Sendable {
    private let ends = RecentRevocations()
    private let retention: Duration
    private let wakeSignal: WakeSignal

    /// An empty set, which `RevocationRelay.fill` fills.
    /// - Parameters:
    ///   - retention: the longest life of an access token, plus the leeway of verifiers.
    ///   - wakeSignal: signalled with each end.
    init(retention: Duration, wakeSignal: WakeSignal) {
        self.retention = retention
        self.wakeSignal = wakeSignal
    }

    /// Whether the session has ended; only as long as its tokens may not have expired.
    func contains(_ id: SessionID) -> Bool { ends.contains(id) }

    /// Whether the session of `known` has ended. The set is searched only if revocations were
    /// inserted since the last search, which is rare compared with how often a token is validated.
    func includes(_ known: CachedToken) -> Bool {
        // Read first: a revocation inserted between this and the search causes one more search.
        let insertions = ends.insertions
        guard !known.isLiving(after: insertions) else { return false }
        guard !ends.contains(known.token.session) else { return true }
        known.lives(after: insertions)
        return false
    }

    /// The number of entries.
    var count: Int { ends.count }

    /// Adds committed ends, removes old ones occasionally, and notifies followers.
    func insert(_ ended: [RevokedSession]) {
        guard !ended.isEmpty else { return }
        ends.insert(ended.map { ($0.id, $0.at) }, retention: retention)
        wakeSignal.wake()
    }

    /// Adds revocations that were read from the store.
    func insertStored(_ stored: [Revocation]) {
        ends.insert(stored.map { ($0.session, $0.at) }, retention: retention)
    }

    /// Removes ends whose tokens have all expired by `now`.
    func forget(at now: Timestamp) { ends.forget(upTo: now - retention) }
}
