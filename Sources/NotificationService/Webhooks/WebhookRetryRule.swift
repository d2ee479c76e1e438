import ServiceRuntime

/// The retry rule of a webhook: an attempt's outcome gives the next step. Pure.
///
///     the receiver                        next step
///     answers 2xx                         done; the next event of the ordering key becomes due
///     answers anything else, or nothing   retry after the backoff, or later if the receiver asks
///                                         for it (Retry-After)
///     has done so for three days since    given up, with an audit record; the next event of the
///     the event was queued                ordering key becomes due
///     answers 410                         as any other failure, and the webhook is paused until
///                                         the operator resumes it
///
/// The backoff: 5 s, 30 s, 2 min, 10 min, 30 min, 1 h, 2 h, then 4 h each; with a jitter of at most
/// 20 %.
enum WebhookRetryRule {
    /// How long an event is retried.
    static let giveUpTime: Duration = .seconds(3 * 24 * 3_600)
    private static let waits: [Duration] = [5, 30, 120, 600, 1_800, 3_600, 7_200, 14_400]
        .map { .seconds($0) }

    /// The outcome of an attempt.
    enum Outcome: Hashable, Sendable {
        /// The receiver has taken the event.
        case taken
        /// The attempt failed: the reason, and the delay that the receiver requested, if any.
        case failed(String, retryAfter: Duration?)
        /// The receiver accepts no more events of this webhook.
        case gone
    }

    /// The next step.
    enum Next: Hashable, Sendable {
        case done
        case again(at: Timestamp)
        case givenUp
    }

    /// The next step after attempt number `attempts` (from 1) of an event that was queued at
    /// `queuedAt`. `random` is the jitter of the backoff.
    static func next(
        after outcome: Outcome, attempts: Int, queuedAt: Timestamp, random: UInt64,
        at now: Timestamp
    ) -> Next {
        var wait = jittered(waits[min(max(attempts - 1, 0), waits.count - 1)], random)
        switch outcome {
        case .taken: return .done
        case .failed(_, let retryAfter): wait = max(wait, retryAfter ?? .zero)
        case .gone: break
        }
        let next = now + wait
        return next - queuedAt < giveUpTime ? .again(at: next) : .givenUp
    }

    private static func jittered(_ wait: Duration, _ random: UInt64) -> Duration {
        wait + wait * (Int(random % 401) - 200) / 1_000
    }
}
