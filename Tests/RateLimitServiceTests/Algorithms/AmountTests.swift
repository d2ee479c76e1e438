import Contracts
import ServiceRuntime
import TestSupport
import Testing

@testable import RateLimitService

@Suite("R-03: a charge of several units")
struct AmountTests {
    @Test(
        "R-03: it is as many charges at one moment, all or none, with the same answers after it",
        arguments: WindowTests.rules)
    func single(rule: LimitRule, count: Int, window: Int64) {
        for seed: UInt64 in 1...20 {
            let randomness = SeededRandomness(seed: seed)
            let (one, many) = (Counter(rule), Counter(rule))
            let units = one.rule.units(of: .max)
            var now: Int64 = 1_000_000
            for _ in 0..<300 {
                now += WindowTests.pause(window, count, randomness)
                let amount = Int(randomness.next() % UInt64(units)) + 1
                var tried = many.state
                let passes = (0..<amount).allSatisfy { _ in
                    guard !many.rule.answer(tried, at: now).isLimited else { return false }
                    many.rule.charge(&tried, at: now)
                    return true
                }
                let answer = one.rule.answer(one.state, of: amount, at: now)
                #expect(answer.isLimited != passes, "seed \(seed)")
                guard passes else { continue }
                many.state = tried
                one.rule.charge(&one.state, of: amount, at: now)
                #expect(one.state == many.state, "seed \(seed)")
                let next = many.answer(at: now)
                #expect(answer.remaining == (next.isLimited ? 0 : next.remaining + 1))
            }
        }
    }

    @Test("R-03: the reported retry time is the first that works", arguments: WindowTests.rules)
    func retryAt(rule: LimitRule, count: Int, window: Int64) throws {
        let counter = Counter(rule)
        let most = counter.rule.units(of: .max)
        for now: Int64 in 1_000...1_000 + window { while counter.charge(at: now) {} }
        for amount in Set([1, (most + 1) / 2, most]) {
            let answer = counter.rule.answer(counter.state, of: amount, at: 1_000 + window)
            let retryAt = try #require(answer.retryAt)
            for (moment, isLimited) in [(retryAt - 1, true), (retryAt, false)] {
                #expect(
                    counter.rule.answer(counter.state, of: amount, at: moment).isLimited
                        == isLimited)
            }
        }
    }

    @Test("R-03: an amount above what passes at once counts as that; attempts have no amount")
    func largest() {
        let rules: [(LimitRule, Int)] = [
            (.slidingWindow(count: 5, window: .seconds(60)), 5),
            (.gcra(count: 480, window: .seconds(60)), 240),
            (.lockout(attempts: 5, lockedFor: .seconds(900), failuresMax: 100), 1),
            (.escalatingDelay(delays: [.zero], quiet: .seconds(1), perDay: 10), 1),
        ]
        for (rule, most) in rules {
            let counter = Counter(rule)
            #expect(counter.rule.units(of: 1_000_000) == most)
            #expect(counter.rule.takesAmounts == (most > 1))
            #expect(!counter.rule.answer(counter.state, of: 1_000_000, at: 0).isLimited)
            counter.rule.charge(&counter.state, of: 1_000_000, at: 0)
            #expect(most == 1 || counter.answer(at: 0).isLimited)
        }
    }

    @Test(
        "R-04: the refund at the same moment returns exactly its units",
        arguments: WindowTests.rules)
    func refund(rule: LimitRule, count: Int, window: Int64) {
        let counter = Counter(rule)
        let most = counter.rule.units(of: .max)
        guard most > 1 else { return }
        counter.charge(at: 5_000)
        let before = counter.state
        counter.rule.charge(&counter.state, of: most - 1, at: 5_000)
        #expect(counter.answer(at: 5_000).isLimited)
        counter.rule.refund(&counter.state, of: 5_000, most - 1, at: 5_000)
        #expect(counter.state == before)
    }

    @Test(
        "R-04: with any refunds, no half-open span holds more units than N",
        arguments: WindowTests.rules)
    func exact(rule: LimitRule, count: Int, window: Int64) {
        for seed: UInt64 in 1...20 {
            let randomness = SeededRandomness(seed: seed)
            let counter = Counter(rule)
            let most = UInt64(counter.rule.units(of: .max))
            var now: Int64 = 1_000_000
            var charged: [(moment: Int64, amount: Int)] = []
            for _ in 0..<400 {
                now += WindowTests.pause(window, count, randomness)
                let amount = Int(randomness.next() % most) + 1
                if !counter.rule.answer(counter.state, of: amount, at: now).isLimited {
                    counter.rule.charge(&counter.state, of: amount, at: now)
                    charged.append((now, amount))
                }
                guard randomness.next() % 3 == 0, let last = charged.popLast() else { continue }
                counter.rule.refund(&counter.state, of: last.moment, last.amount, at: now)
            }
            let units = charged.flatMap { [Int64](repeating: $0.moment, count: $0.amount) }
            for place in units.indices.dropFirst(count) {
                #expect(units[place] - units[place - count] >= window, "seed \(seed)")
            }
        }
    }
}
