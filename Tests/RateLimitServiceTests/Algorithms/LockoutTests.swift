import Contracts
import Testing

@testable import RateLimitService

@Suite("R-02: five wrong codes lock for 15 minutes")
struct LockoutTests {
    static let wait: Int64 = 15 * 60_000
    static let day: Int64 = 24 * 3_600_000
    let counter = Counter(.lockout(attempts: 5, lockedFor: .seconds(15 * 60), failuresMax: 100))

    @Test("R-02: the sixth guess waits until the fifth is 15 minutes old; then five more pass")
    func locks() {
        var now: Int64 = 1_000
        for _ in 0..<3 {
            for left in (0...4).reversed() {
                #expect(counter.answer(at: now).remaining == left)
                #expect(counter.answer(at: now).attempt == 5 - left)
                #expect(counter.charge(at: now))
            }
            #expect(counter.answer(at: now).retryAt == now + Self.wait)
            #expect(counter.answer(at: now + Self.wait - 1).isLimited)
            now += Self.wait
        }
    }

    @Test("R-02: a success clears all failures")
    func success() {
        for _ in 0..<5 { counter.charge(at: 1_000) }
        counter.succeed()
        #expect(counter.state.isEmpty)
        #expect(counter.answer(at: 1_000).remaining == 4)
    }

    @Test("R-02: after 100 failures in a row only a reset unlocks")
    func hundred() throws {
        var now: Int64 = 1_000
        var guesses = 0
        while let retryAt = counter.answer(at: now).isLimited
            ? counter.answer(at: now).retryAt : now
        {
            now = retryAt
            #expect(counter.charge(at: now))
            guesses += 1
            try #require(guesses <= 100)
        }
        #expect(guesses == 100)
        for later in [now + Self.wait, now + 5_000 * Self.day] {
            #expect(counter.answer(at: later).isLimited)
            #expect(counter.answer(at: later).retryAt == nil)
        }
        #expect(counter.rule.end(counter.state) == .max)
    }

    @Test(
        "H1: up to four failures expire after the wait and a day, five after four days each",
        arguments: [(1, 1), (3, 1), (4, 1), (5, 20)])
    func forgets(failures: Int64, days: Int64) {
        for now: Int64 in 0..<failures { counter.charge(at: now) }
        let end = failures - 1 + days * Self.day + (days == 1 ? Self.wait : 0)
        #expect(counter.rule.end(counter.state) == end)
        #expect(counter.state.failures == failures)
        #expect(counter.answer(at: end).attempt == 1)
        counter.charge(at: end)
        #expect(counter.state.failures == 1)
    }

    @Test("R-04: a refund removes one failure, unless a success has cleared it already")
    func refund() {
        for now: Int64 in 0..<5 { counter.charge(at: now) }
        counter.refund(4, at: 4)
        #expect(counter.charge(at: 5))
        #expect(!counter.charge(at: 6))
        counter.succeed()
        counter.charge(at: 10)
        counter.refund(5, at: 10)
        #expect(counter.answer(at: 10).attempt == 2)
    }

    @Test("R-06: a lower maximum locks at once; a longer lock counts from the last guess")
    func changed() {
        for now: Int64 in 0..<3 { counter.charge(at: now) }
        counter.change(to: .lockout(attempts: 3, lockedFor: .seconds(60), failuresMax: 100), at: 3)
        #expect(counter.answer(at: 3).retryAt == 60_002)
        counter.change(to: .lockout(attempts: 3, lockedFor: .seconds(90), failuresMax: 100), at: 3)
        #expect(counter.answer(at: 3).retryAt == 90_002)
    }

    @Test("R-02: a clock that goes backwards unlocks nothing")
    func backwards() {
        for _ in 0..<5 { counter.charge(at: Self.day) }
        for now in [0, Self.day - 1] {
            #expect(counter.answer(at: now).retryAt == Self.day + Self.wait)
        }
    }
}
