import Contracts
import ServiceRuntime
import Synchronization

/// Which leaves are confirmed by an access token of theirs that was validated here (G-10): from
/// then on their parent is no retry, since its answer has arrived.
///
/// In memory only, because it matters only until the grace of a leaf is over; a crash forgets at
/// most a grace's worth, and the rule is that much milder for as long. Bounded by time (what was
/// noted is gone after two graces) and by count.
final class Confirmations: Sendable {
    /// Sessions that are remembered from one grace: about 8 MiB. Beyond it a leaf counts as not
    /// confirmed, as after a crash.
    private static let sessionsMax = 131_072
    /// `iat` has whole seconds, so that a token may be younger than it says.
    private static let issueRounding: Duration = .seconds(1)

    private struct State {
        /// By sessions' keys, plain integers as in `Activity`.
        var recent: [Int64: Int64] = [:]
        var older: [Int64: Int64] = [:]
        /// When `recent` becomes `older`.
        var turnAt = Timestamp(milliseconds: .min)
    }

    private let grace: Duration
    /// How old a token may be that is still noted.
    private let noteMilliseconds: Int64
    private let state = Mutex(State())

    /// - Parameter grace: how long after its making a leaf's confirmation matters.
    init(grace: Duration) {
        self.grace = grace
        noteMilliseconds = (Self.issueRounding + grace).milliseconds
    }

    /// Notes that `token` was found good at `now`.
    func note(_ token: AccessToken, at now: Timestamp) {
        // Whole numbers, since most tokens that are validated end here.
        let age = now.milliseconds.subtractingReportingOverflow(token.issuedAt.milliseconds)
        guard let counter = token.counter, !age.overflow, age.partialValue < noteMilliseconds
        else { return }
        state.withLock { state in
            if now >= state.turnAt { turn(&state, at: now) }
            let known = state.recent[token.session.key]
            guard known.map({ $0 < counter }) ?? (state.recent.count < Self.sessionsMax) else {
                return
            }
            state.recent[token.session.key] = counter
        }
    }

    /// Whether the access token of this counter of `session` has been seen.
    func hasSeen(_ session: SessionID, _ counter: Int64) -> Bool {
        state.withLock { state in
            state.recent[session.key] ?? 0 >= counter || state.older[session.key] ?? 0 >= counter
        }
    }

    /// Forgets what is older than two graces, also while nothing is noted.
    func forget(at now: Timestamp) {
        state.withLock { state in
            if now >= state.turnAt { turn(&state, at: now) }
        }
    }

    /// How many are remembered.
    var count: Int { state.withLock { $0.recent.count + $0.older.count } }

    private func turn(_ state: inout State, at now: Timestamp) {
        state.older = now < state.turnAt + grace ? state.recent : [:]
        state.recent = [:]
        state.turnAt = now + grace
    }
}
