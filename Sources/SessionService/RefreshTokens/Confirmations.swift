import Contracts
import ServiceRuntime
import Synchronization

/// Leaves that are confirmed because an access token of theirs was validated here (G-10). From then
/// on a use of the parent is no retry, since the response has arrived.
///
/// In memory only, because it matters only during the grace of a leaf. A crash loses at most the
/// entries of one grace, and the rule is that much more lenient for as long. Bounded by time
/// (entries are removed after two graces) and by count.
final class Confirmations: Sendable {
    /// Sessions remembered from one grace: about 8 MiB. Beyond it a leaf counts as not confirmed,
    /// as after a crash.
    private static let sessionsMax = 131_072
    /// `iat` has whole seconds, so a token may be younger than it says.
    private static let issueRounding: Duration = .seconds(1)

    private struct State {
        /// By session key; plain integers as in `Activity`.
        var recent: [Int64: Int64] = [:]
        var older: [Int64: Int64] = [:]
        /// When `recent` becomes `older`.
        var rotateAt = Timestamp(milliseconds: .min)
    }

    private let grace: Duration
    /// The age up to which a token is recorded.
    private let recordedMilliseconds: Int64
    private let state = Mutex(State())

    /// - Parameter grace: how long after a leaf was issued its confirmation matters.
    init(grace: Duration) {
        self.grace = grace
        recordedMilliseconds = (Self.issueRounding + grace).milliseconds
    }

    /// Records that `token` was valid at `now`.
    func record(_ token: AccessToken, at now: Timestamp) {
        // Integer arithmetic, since most validated tokens return here.
        let age = now.milliseconds.subtractingReportingOverflow(token.issuedAt.milliseconds)
        guard let counter = token.counter, counter > 0, !age.overflow,
            age.partialValue < recordedMilliseconds
        else { return }
        state.withLock { state in
            if now >= state.rotateAt { rotate(&state, at: now) }
            let known = state.recent[token.session.key]
            guard known.map({ $0 < counter }) ?? (state.recent.count < Self.sessionsMax) else {
                return
            }
            state.recent[token.session.key] = counter
        }
    }

    /// Whether the access token with this counter of `session`, or a later one, has been used.
    func hasSeen(_ session: SessionID, _ counter: Int64) -> Bool {
        state.withLock { state in
            state.recent[session.key] ?? 0 >= counter || state.older[session.key] ?? 0 >= counter
        }
    }

    /// Removes entries older than two graces, also when nothing is recorded.
    func forget(at now: Timestamp) {
        state.withLock { state in
            if now >= state.rotateAt { rotate(&state, at: now) }
        }
    }

    /// The number of entries.
    var count: Int { state.withLock { $0.recent.count + $0.older.count } }

    private func rotate(_ state: inout State, at now: Timestamp) {
        state.older = now < state.rotateAt + grace ? state.recent : [:]
        state.recent = [:]
        state.rotateAt = now + grace
    }
}
