import Contracts
import ServiceRuntime

/// A session and when it ended.
struct RevokedSession: Hashable, Sendable {
    let id: SessionID
    let at: Timestamp
}

/// The sessions whose access tokens may still be young although they have ended (S-07). The set is
/// filled from the store at start, and after each commit that ends a session, before its caller is
/// answered; then followers are told.
final class RevokedSessions: Sendable {
    private let ends = RecentRevocations()
    private let retention: Duration
    private let wakeSignal: RevocationSignal

    /// - Parameters:
    ///   - ends: those of the last `retention`.
    ///   - retention: the longest life of an access token, and the leeway of verifiers.
    ///   - wakeSignal: rung with each end.
    init(_ ends: [RevokedSession], retention: Duration, wakeSignal: RevocationSignal) {
        self.retention = retention
        self.wakeSignal = wakeSignal
        add(ends)
    }

    /// Whether the session has ended, as far as tokens that have not expired are concerned.
    func contains(_ id: SessionID) -> Bool { ends.contains(id) }

    /// Whether the session of `known` has ended. It is looked for when ends have come since it was
    /// last, which is seldom beside how often one token is validated.
    func includes(_ known: CachedToken) -> Bool {
        // Read first: an end that comes between this and the look is looked for once more.
        let insertions = ends.insertions
        guard !known.isLiving(after: insertions) else { return false }
        guard !ends.contains(known.token.session) else { return true }
        known.lives(after: insertions)
        return false
    }

    /// How many are remembered.
    var count: Int { ends.count }

    /// Adds ends that have been committed, forgets old ones now and then, and has followers told.
    func insert(_ ends: [RevokedSession]) {
        guard !ends.isEmpty else { return }
        add(ends)
        wakeSignal.wake()
    }

    /// Adds ends that were found in the store.
    func learn(_ placed: [Revocation]) {
        ends.insert(placed.map { ($0.session, $0.at) }, keptFor: retention)
    }

    /// Forgets ends whose tokens have all expired by `now`.
    func forget(at now: Timestamp) { ends.forget(upTo: now - retention) }

    private func add(_ added: [RevokedSession]) {
        ends.insert(added.map { ($0.id, $0.at) }, keptFor: retention)
    }
}
