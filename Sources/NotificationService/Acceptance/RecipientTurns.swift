import ServiceRuntime
import Synchronization

/// When each message of one recipient has its turn, which is both the rate for a recipient and the
/// fairness between them: so many at once, then one at each interval. What is over the rate is due
/// later, and so stands behind the others' in the order in which messages are claimed; it is not
/// lost, and a thousand messages to one person do not hold up anybody.
///
/// For each lane by itself: a flood of notices must not put off the same person's code.
///
/// Kept in memory: after a restart each recipient may have one burst too many.
final class RecipientTurns: Sendable {
    /// Recipients that are remembered, of 100 bytes or so each. When as many are over their rate
    /// at once, further ones are let through.
    static let recipientsMax = 65_536

    private let burst: Int
    private let interval: Duration
    private let due = Mutex<[Key: Timestamp]>([:])

    private struct Key: Hashable {
        let recipient: [UInt8]
        let lane: Lane
    }

    /// - Parameters:
    ///   - burst: messages at once.
    ///   - interval: between two of those that follow.
    init(burst: Int, interval: Duration) {
        precondition(burst > 0 && interval > .zero, "somebody gets something some time")
        self.burst = burst
        self.interval = interval
    }

    /// When a message that is accepted at `now` has its turn.
    func turn(of recipient: [UInt8], _ lane: Lane, at now: Timestamp) -> Timestamp {
        let key = Key(recipient: recipient, lane: lane)
        let slack = interval * (burst - 1)
        return due.withLock { due in
            // Those whose next message would be on time are as good as never seen.
            if due.count >= Self.recipientsMax, due[key] == nil {
                due = due.filter { $0.value > now }
                guard due.count < Self.recipientsMax else { return now }
            }
            let expected = max(due[key] ?? now, now)
            due[key] = expected + interval
            return max(now, expected - slack)
        }
    }
}
