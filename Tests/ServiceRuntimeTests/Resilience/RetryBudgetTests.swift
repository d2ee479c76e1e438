import ServiceRuntime
import Testing

@Suite("The retry budget")
struct RetryBudgetTests {
    @Test("Protos/README.md, Client: ten tokens allow five retries in a row of failures")
    func storm() {
        var budget = RetryBudget()
        var retries = 0
        for _ in 0..<1_000 {
            budget.spend()
            if budget.permitsRetry { retries += 1 }
        }
        #expect(retries == 5)
        #expect(budget.tenths == 0)
    }

    @Test("Protos/README.md, Client: a success returns a tenth of a token, up to ten tokens")
    func recovery() {
        var budget = RetryBudget()
        for _ in 0..<10 { budget.spend() }
        var successes = 0
        while !budget.permitsRetry {
            budget.earn()
            successes += 1
        }
        #expect(successes == 50)
        for _ in 0..<1_000 { budget.earn() }
        #expect(budget.tenths == RetryBudget.tenthsMax)
    }

    @Test("one failure in eleven calls never empties the budget, one in nine does")
    func balance() {
        var healthy = RetryBudget()
        var failing = RetryBudget()
        for call in 0..<10_000 {
            call % 11 == 0 ? healthy.spend() : healthy.earn()
            call % 9 == 0 ? failing.spend() : failing.earn()
        }
        #expect(healthy.permitsRetry)
        #expect(!failing.permitsRetry)
    }
}
