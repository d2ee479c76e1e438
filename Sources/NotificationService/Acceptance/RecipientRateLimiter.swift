import ServiceRuntime
import Synchronization

/// When each message of one recipient has its turn, which is both the rate for a recipient and the
/// fairness between them: so many at once, then one at each interval. What is over the rate is due
/// later, and so stands behind the others' in the order in which messages are claimed; a thousand
/// messages to one person do not hold up anybody.
///
/// For each lane by itself: a flood of notices must not put off the same person's code. And a line
/// has an end, but for what the reader asked for. Attack: sign-ups with a victim's address from many
/// networks make a line of hundreds of warnings; the one that matters would come hours late.
///
/// Kept in memory: after a restart each recipient may have one burst too many. Memory learns of a
/// message after its commit, so that one that was undone takes no turn. Messages that share a commit do
/// not see each other, and may have the same turn; the next ones come behind all of them.
final class RecipientRateLimiter: Sendable {
    /// Recipients that are remembered, of 100 bytes or so each. When there are as many, those who
    /// have used less than half of their burst are forgotten; when as many have used more, further
    /// ones are let through.
    static let recipientsMax = 65_536
    /// Messages of one lane that wait for their turn: whoever has been warned so often in a few
    /// minutes learns nothing from one more.
    static let waitingMax = 20
    /// The longest line, where the interval is long: links are worth nothing after it.
    static let lineMax: Duration = .seconds(3_600)
    /// What a message that found the line full is dead of.
    static let reason = "recipient-limit"
    /// Looking through all takes milliseconds, so it is not done for each message.
    private static let sweepsEvery: Duration = .seconds(1)

    private let burst: Int
    private let interval: Duration
    /// The latest turn that is given where a line has an end.
    private let waitMax: Duration
    private let state = Mutex(State())

    private struct Key: Hashable {
        let recipient: [UInt8]
        let lane: Lane
    }

    /// A message that was accepted: what memory learns once it is committed.
    struct Use: Hashable, Sendable {
        let recipient: [UInt8]
        let lane: Lane
        let at: Timestamp
    }

    private struct State {
        /// When a message would be on time, if one came at each interval.
        var due: [Key: Timestamp] = [:]
        var sweptAt: Timestamp?
    }

    /// - Parameters:
    ///   - burst: messages at once.
    ///   - interval: between two of those that follow.
    init(burst: Int, interval: Duration) {
        precondition(burst > 0 && interval > .zero, "somebody gets something some time")
        self.burst = burst
        self.interval = interval
        waitMax = min(interval * Self.waitingMax, max(interval, Self.lineMax))
    }

    /// When a message that is accepted at `now` has its turn. Changes nothing: `note` does.
    /// - Parameter hasEnd: Whether the line of this recipient and lane has an end.
    /// - Returns: nil where it is full.
    func turn(
        of recipient: [UInt8], _ lane: Lane, hasEnd: Bool, at now: Timestamp
    ) -> Timestamp? {
        let key = Key(recipient: recipient, lane: lane)
        let slack = interval * (burst - 1)
        let due = state.withLock { $0.due[key] } ?? now
        let turn = max(now, due - slack)
        return !hasEnd || turn - now <= waitMax ? turn : nil
    }

    /// Remembers a message that was accepted, once that is committed.
    func note(_ use: Use) {
        let key = Key(recipient: use.recipient, lane: use.lane)
        state.withLock { state in
            guard state.due[key] != nil || makeRoom(&state, at: use.at) else { return }
            state.due[key] = max(state.due[key] ?? use.at, use.at) + interval
        }
    }

    private func makeRoom(_ state: inout State, at now: Timestamp) -> Bool {
        if state.due.count < Self.recipientsMax { return true }
        if let sweptAt = state.sweptAt, now - sweptAt < Self.sweepsEvery { return false }
        state.sweptAt = now
        let half = now + interval * (burst - 1) / 2
        state.due = state.due.filter { $0.value > half }
        return state.due.count < Self.recipientsMax
    }
}
