import ServiceRuntime

/// Decides whether and when a call is sent again after a failed try (Protos/README.md, Client). It
/// is pure: the failure, the budget and a random number are the input, and a step is the output.
///
/// | failure | method | next step |
/// |---|---|---|
/// | no server could be chosen | any | return the error |
/// | not processed | any | resend at once to another address; once per call |
/// | "retry after W" | idempotent or keyed | retry after W if the deadline allows; costs budget |
/// | "retry after W" | other | return the error |
/// | lost, unavailable | idempotent or keyed | retry after the backoff; costs budget |
/// | lost, unavailable | other | return the error: the call may have been executed |
/// | any other error | any | return the error |
struct TryPlan {
    /// Number of tries of one call that cost budget, the first included.
    static let triesMax = 3

    /// The next step after a failure.
    enum Step: Equatable {
        case giveUp
        case resend
        case retry(after: Duration)
    }

    /// Whether repeating the call is safe.
    let isRepeatable: Bool
    /// Tries that were sent, of every kind.
    private(set) var sent = 0
    private var paid = 1
    private var isResent = false
    private var backoff = Backoff()

    init(isRepeatable: Bool) {
        self.isRepeatable = isRepeatable
    }

    /// Records that a try is sent.
    /// - Returns: its number, from 1.
    mutating func next() -> Int {
        sent += 1
        return sent
    }

    /// Decides after a failed try while no other try of this call is in flight.
    mutating func failed(
        _ failure: Failure, jitter: UInt64, budget: inout RetryBudget
    ) -> Step {
        let error = failure.error
        guard failure.wasPlaced, Self.isPassing(error), failure.timeLeft > .zero else {
            return .giveUp
        }
        if error.notProcessed, error.retryAfter == nil, !isResent,
            error.code == .unavailable || failure.hasElsewhere
        {
            isResent = true
            return .resend
        }
        budget.spend()
        guard isRepeatable, paid < Self.triesMax, budget.permitsRetry else { return .giveUp }
        let wait = wait(after: error, jitter: jitter)
        guard wait < failure.timeLeft else { return .giveUp }
        paid += 1
        return .retry(after: wait)
    }

    /// Whether to send a hedge now; it costs budget.
    mutating func hedges(budget: inout RetryBudget) -> Bool {
        guard isRepeatable, sent == 1, budget.permitsRetry else { return false }
        budget.spend()
        paid += 1
        return true
    }

    /// Whether the same call may soon succeed: the server is unavailable, or overloaded and says
    /// so. An error by a service's own rules is final.
    static func isPassing(_ error: ServiceError) -> Bool {
        switch error.code {
        case .unavailable: true
        case .resourceExhausted: error.notProcessed || error.retryAfter != nil
        default: false
        }
    }

    /// At least the time that the server requested, and up to a fifth more, so that clients that
    /// were rejected together do not return together.
    private mutating func wait(after error: ServiceError, jitter: UInt64) -> Duration {
        let own = backoff.next(jitter: jitter)
        guard let requested = error.retryAfter else { return own }
        return max(own, requested + requested * Int(jitter % 201) / 1_000)
    }

    /// A failed try of a call, with what the decision about the next try needs.
    struct Failure {
        let error: ServiceError
        /// Whether a server was chosen for it; if not, none was available.
        let wasPlaced: Bool
        /// Whether another address serves.
        let hasElsewhere: Bool
        /// The time until the caller's deadline.
        let timeLeft: Duration
    }
}
