import ServiceRuntime

/// Why a try of a call failed, and what there is besides.
struct FailedTry {
    let error: ServiceError
    /// Some server was chosen for it; if not, there was none to choose.
    let wasPlaced: Bool
    /// Another address serves.
    let hasElsewhere: Bool
    /// What is left of the caller's time.
    let timeLeft: Duration
}

/// Whether and when a call whose try failed is sent again (Protos/README.md, Client). Pure: the
/// budget, the failure and a random number come in, and a step comes out.
///
/// | failure | method | next |
/// |---|---|---|
/// | no server could be chosen | any | the error |
/// | not processed | any | again at once, elsewhere; once for a call |
/// | "wait W" | idempotent or keyed | again after W, if it fits; from the budget |
/// | "wait W" | other | the error |
/// | lost, unavailable | idempotent or keyed | again after the backoff, from the budget |
/// | lost, unavailable | other | the error: it may have been done |
/// | any other answer | any | the error |
struct TryPlan {
    /// Tries of one call that are paid for, the first included.
    static let triesMax = 3

    /// What comes of a failure.
    enum Step: Equatable {
        case giveUp
        case resend
        case retry(after: Duration)
    }

    /// Doing it twice does what doing it once does.
    let isRepeatable: Bool
    /// Tries that went out, of every kind.
    private(set) var sent = 0
    private var paid = 1
    private var isResent = false
    private var backoff = Backoff()

    init(isRepeatable: Bool) {
        self.isRepeatable = isRepeatable
    }

    /// A try goes out.
    /// - Returns: which one, from 1.
    mutating func next() -> Int {
        sent += 1
        return sent
    }

    /// A try failed, and no other of this call is on its way.
    mutating func failed(
        _ failure: FailedTry, jitter: UInt64, budget: inout RetryBudget
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

    /// A second try goes out before the first has ended, if the budget bears it.
    mutating func hedges(budget: inout RetryBudget) -> Bool {
        guard isRepeatable, sent == 1, budget.permitsRetry else { return false }
        budget.spend()
        paid += 1
        return true
    }

    /// Whether the same call may work soon: the server is gone, or too busy and says so. What a
    /// service refuses by its own rules is an answer like any other.
    static func isPassing(_ error: ServiceError) -> Bool {
        switch error.code {
        case .unavailable: true
        case .resourceExhausted: error.notProcessed || error.retryAfter != nil
        default: false
        }
    }

    /// At least what the server asked for, and up to a fifth more, so that those who were refused
    /// together do not come back together.
    private mutating func wait(after error: ServiceError, jitter: UInt64) -> Duration {
        let own = backoff.next(jitter: jitter)
        guard let asked = error.retryAfter else { return own }
        return max(own, asked + asked * Int(jitter % 201) / 1_000)
    }
}
