import Contracts
import ServiceRuntime
import Synchronization

/// Limits the rate of messages to each recipient, and so shares the providers fairly: a burst at
/// once, then one message per interval. A message over the rate is due later, and so comes after
/// other recipients' messages in the claiming order: a thousand messages to one person do not delay
/// the messages to other people.
///
/// Each lane has its own limit: a flood of notices must not delay the same person's code. In the
/// lane of what the reader requested, each template has its own. Attack: a stranger signs up with a
/// victim's address again and again, and the link to reset the password comes after all links that
/// verify the address. The queue of a recipient and lane is bounded, except for messages that the
/// reader requested. Attack: sign-ups with a victim's address from many networks queue hundreds of
/// warnings, and the one that matters would arrive hours late.
///
/// A message that its account's deletion ends unsent is given back: later ones do not wait for it.
///
/// The state is in memory: after a restart each recipient may get one burst too many, and several
/// processes on one store would each allow a burst. A transaction only reads it. It is updated
/// after the commit, so that a message whose transaction was rolled back does not count, and one
/// whose transaction was run again counts once. Messages of the same commit do not count against
/// each other and may become due at the same time; later messages come after all of them.
final class RecipientRateLimiter: Sendable {
    /// Limits that are remembered, about 100 bytes each. When this many are known, those that
    /// have used less than half of their burst are removed. If that frees nothing, further
    /// recipients are not limited.
    static let recipientsMax = 65_536
    /// Messages of one lane that may be queued for one recipient. After this many warnings within a
    /// few minutes another one contains nothing new for the reader.
    static let waitingMax = 20
    /// The longest queue, for long intervals: links have expired after it.
    static let queueWaitMax: Duration = .seconds(3_600)
    /// A sweep over all recipients takes milliseconds, so it is not done for each message.
    private static let sweepsEvery: Duration = .seconds(1)

    private let burst: Int
    private let interval: Duration
    /// The longest delay in a bounded queue.
    private let waitMax: Duration
    private let state = Mutex(State())

    /// What shares a limit.
    struct Key: Hashable, Sendable {
        let recipient: [UInt8]
        let lane: Lane
        /// The template in the lane of what the reader requested; else empty.
        let template: String

        /// The limit of a message.
        init(_ recipient: [UInt8], _ lane: Lane, _ template: String) {
            self.recipient = recipient
            self.lane = lane
            self.template = lane == .requested ? template : ""
        }
    }

    /// A message that was accepted. It is recorded after the commit.
    struct Use: Hashable, Sendable {
        let key: Key
        let at: Timestamp
    }

    private struct State {
        /// The theoretical arrival time of the next message.
        var due: [Key: Timestamp] = [:]
        var sweptAt: Timestamp?
    }

    /// A rate limit.
    /// - Parameters:
    ///   - burst: messages that are due at once.
    ///   - interval: between further messages.
    init(burst: Int, interval: Duration) {
        precondition(burst > 0 && interval > .zero, "burst and interval must be positive")
        self.burst = burst
        self.interval = interval
        waitMax = min(interval * Self.waitingMax, max(interval, Self.queueWaitMax))
    }

    /// When a message that is accepted at `now` is due. Changes nothing; `record` does.
    /// - Parameter isBounded: Whether the queue of this recipient and lane is bounded.
    /// - Returns: nil if it is full.
    func dueTime(of key: Key, isBounded: Bool, at now: Timestamp) -> Timestamp? {
        let slack = interval * (burst - 1)
        let due = state.withLock { $0.due[key] } ?? now
        let next = max(now, due - slack)
        return !isBounded || next - now <= waitMax ? next : nil
    }

    /// Records a message after its commit.
    func record(_ use: Use) {
        state.withLock { state in
            guard state.due[use.key] != nil || hasCapacity(&state, at: use.at) else { return }
            state.due[use.key] = max(state.due[use.key] ?? use.at, use.at) + interval
        }
    }

    /// Gives the time of a message back that has ended unsent, after the commit.
    func giveBack(_ key: Key) {
        state.withLock { state in
            guard let due = state.due[key] else { return }
            state.due[key] = due - interval
        }
    }

    /// Whether another recipient can be remembered. Removes others if necessary.
    private func hasCapacity(_ state: inout State, at now: Timestamp) -> Bool {
        if state.due.count < Self.recipientsMax { return true }
        if let sweptAt = state.sweptAt, now - sweptAt < Self.sweepsEvery { return false }
        state.sweptAt = now
        let half = now + interval * (burst - 1) / 2
        state.due = state.due.filter { $0.value > half }
        return state.due.count < Self.recipientsMax
    }
}
