import ServiceRuntime
import Testing

@testable import RPC

@Suite("When a failed call is sent again")
struct TryPlanTests {
    /// A random number that gives the backoff no jitter.
    private let middle: UInt64 = 200

    private func failed(
        _ error: ServiceError, wasPlaced: Bool = true, hasElsewhere: Bool = true,
        timeLeft: Duration = .seconds(5)
    ) -> TryPlan.Failure {
        TryPlan.Failure(
            error: error, wasPlaced: wasPlaced, hasElsewhere: hasElsewhere, timeLeft: timeLeft)
    }

    private func step(
        _ failure: TryPlan.Failure, isRepeatable: Bool = true, jitter: UInt64 = 200
    ) -> TryPlan.Step {
        var plan = TryPlan(isRepeatable: isRepeatable)
        var budget = RetryBudget()
        return plan.failed(failure, jitter: jitter, budget: &budget)
    }

    @Test("Protos/README.md, Client: a call that was not processed is resent once, for free")
    func resend() {
        let error = ServiceError(.unavailable, notProcessed: true)
        for isRepeatable in [false, true] {
            var plan = TryPlan(isRepeatable: isRepeatable)
            var budget = RetryBudget()
            #expect(plan.failed(failed(error), jitter: middle, budget: &budget) == .resend)
            #expect(budget == RetryBudget())
            let second = plan.failed(failed(error), jitter: middle, budget: &budget)
            #expect(second == (isRepeatable ? .retry(after: .milliseconds(100)) : .giveUp))
        }
    }

    @Test("a call to a full server goes to another one, or waits before a retry, or fails")
    func full() {
        let error = ServiceError(.resourceExhausted, notProcessed: true)
        for isRepeatable in [false, true] {
            #expect(step(failed(error), isRepeatable: isRepeatable) == .resend)
        }
        let alone = failed(error, hasElsewhere: false)
        #expect(step(alone, isRepeatable: false) == .giveUp)
        #expect(step(alone) == .retry(after: .milliseconds(100)))
    }

    @Test("Protos/README.md, Client: after three tries with backoff the error is returned")
    func three() {
        var plan = TryPlan(isRepeatable: true)
        var budget = RetryBudget()
        let failure = failed(ServiceError(.unavailable))
        let steps = (0..<3).map { _ in
            plan.failed(failure, jitter: middle, budget: &budget)
        }
        #expect(
            steps == [
                .retry(after: .milliseconds(100)), .retry(after: .milliseconds(160)), .giveUp,
            ])
        #expect(budget.tenths == 70)
        #expect(step(failure, isRepeatable: false) == .giveUp)
    }

    @Test("Protos/README.md, Client: a retry waits for retry_after plus jitter")
    func retryAfter() {
        for code in [ErrorCode.unavailable, .resourceExhausted] {
            for notProcessed in [false, true] {
                let error = ServiceError(
                    code, retryAfter: .seconds(2), notProcessed: notProcessed)
                for jitter in [UInt64(0), 100, 200, 201, 12_345, .max] {
                    guard case .retry(let wait) = step(failed(error), jitter: jitter) else {
                        Issue.record("not again")
                        continue
                    }
                    #expect(wait >= .seconds(2) && wait <= .milliseconds(2_400))
                }
                #expect(step(failed(error), isRepeatable: false) == .giveUp)
                #expect(step(failed(error, timeLeft: .seconds(2))) == .giveUp)
            }
        }
    }

    @Test("no retry begins whose wait would pass the caller's deadline")
    func timeLeft() {
        let error = ServiceError(.unavailable)
        for milliseconds in [-1, 0, 1, 100] {
            #expect(step(failed(error, timeLeft: .milliseconds(milliseconds))) == .giveUp)
        }
        #expect(
            step(failed(error, timeLeft: .milliseconds(101))) == .retry(after: .milliseconds(100)))
    }

    @Test("Protos/README.md, Client: an empty budget stops retries but not resends")
    func budget() {
        var budget = RetryBudget()
        while budget.permitsRetry { budget.spend() }
        var plan = TryPlan(isRepeatable: true)
        let lost = failed(ServiceError(.unavailable))
        #expect(plan.failed(lost, jitter: middle, budget: &budget) == .giveUp)
        let unprocessed = failed(ServiceError(.unavailable, notProcessed: true))
        #expect(plan.failed(unprocessed, jitter: middle, budget: &budget) == .resend)
    }

    @Test("every other error is returned without a retry", arguments: ErrorCode.allCases)
    func answers(code: ErrorCode) {
        guard code != .unavailable else { return }
        for notProcessed in [false, true] where code != .resourceExhausted || !notProcessed {
            let error = ServiceError(code, notProcessed: notProcessed)
            #expect(step(failed(error)) == .giveUp)
        }
        guard code != .resourceExhausted else { return }
        #expect(step(failed(ServiceError(code, retryAfter: .milliseconds(1)))) == .giveUp)
    }

    @Test("a call that could not be placed on a server is not resent")
    func unplaced() {
        let error = ServiceError(.unavailable, notProcessed: true)
        #expect(step(failed(error, wasPlaced: false)) == .giveUp)
    }

    @Test("a hedge is sent once, for repeatable calls only, and costs one token")
    func hedge() {
        var budget = RetryBudget()
        var plan = TryPlan(isRepeatable: true)
        #expect(plan.next() == 1)
        #expect(plan.hedges(budget: &budget) == true)
        #expect(budget.tenths == 90)
        #expect(plan.next() == 2)
        #expect(plan.hedges(budget: &budget) == false)
        var other = TryPlan(isRepeatable: false)
        _ = other.next()
        #expect(other.hedges(budget: &budget) == false)
        while budget.permitsRetry { budget.spend() }
        var poor = TryPlan(isRepeatable: true)
        _ = poor.next()
        #expect(poor.hedges(budget: &budget) == false)
    }
}
