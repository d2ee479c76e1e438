import ServiceRuntime

/// The rule of a webhook's delivery: given how a try went, what is next. Pure.
///
/// | the receiver | next |
/// |---|---|
/// | answers 2xx | done; the next of its lane may go |
/// | answers anything else, or nothing | again after the wait, or later if it says so (Retry-After) |
/// | did so for three days since the event came | given up, recorded; the next of its lane may go |
/// | answers 410 | as above, and the webhook is held back until the operator lets it go on |
///
/// The waits: 5 s, 30 s, 2 min, 10 min, 30 min, 1 h, 2 h, then every 4 h; each 20 % off at the most.
enum WebhookTry {
    /// How long an event is tried for.
    static let patience: Duration = .seconds(3 * 24 * 3_600)
    private static let waits: [Duration] = [5, 30, 120, 600, 1_800, 3_600, 7_200, 14_400]
        .map { .seconds($0) }

    /// How a try went.
    enum Outcome: Hashable, Sendable {
        /// It was taken.
        case taken
        /// It was not: why, and when the receiver wants it again, if it said so.
        case failed(String, retryAfter: Duration?)
        /// The receiver wants no more of this webhook.
        case gone
    }

    /// What is next.
    enum Next: Hashable, Sendable {
        case done
        case again(at: Timestamp)
        case givenUp
    }

    /// What is next after try number `attempts` (from 1) of an event that came at `since`; `random`
    /// places the wait.
    static func next(
        after outcome: Outcome, attempts: Int, since: Timestamp, random: UInt64, at now: Timestamp
    ) -> Next {
        var wait = jittered(waits[min(max(attempts - 1, 0), waits.count - 1)], random)
        switch outcome {
        case .taken: return .done
        case .failed(_, let retryAfter): wait = max(wait, retryAfter ?? .zero)
        case .gone: break
        }
        let next = now + wait
        return next - since < patience ? .again(at: next) : .givenUp
    }

    private static func jittered(_ wait: Duration, _ random: UInt64) -> Duration {
        wait + wait * (Int(random % 401) - 200) / 1_000
    }
}
