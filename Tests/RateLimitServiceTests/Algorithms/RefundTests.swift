import Contracts
import TestSupport
import Testing

@testable import RateLimitService

@Suite("R-04: a refund returns exactly its own charge")
struct RefundTests {
    /// At most 100 in a minute: 50 at once, then one every 60 s / 51 = 1,176.5 ms.
    private let counter = Counter(.gcra(count: 100, window: .seconds(60)))

    @Test("R-04: the refund of an expired charge of a rate leaves later charges")
    func ranOff() {
        counter.charge(at: 0)
        counter.charge(at: 10_000)
        counter.refund(0, at: 11_000)
        #expect(counter.answer(at: 11_000).attempt == 2)
    }

    @Test("R-04: the refund of a partly expired charge of a rate returns only the rest")
    func half() {
        counter.charge(at: 0)
        counter.charge(at: 600)
        counter.refund(0, at: 600)
        // The second charge is left in full.
        #expect(counter.answer(at: 1_776).attempt == 2)
        #expect(counter.answer(at: 1_777).attempt == 1)
    }

    @Test("R-04: refunds of 50 expired charges do not remove 49 later ones")
    func burst() {
        for _ in 0..<50 { #expect(counter.charge(at: 0)) }
        let later: Int64 = 58_824
        for _ in 0..<49 { #expect(counter.charge(at: later)) }
        for _ in 0..<50 { counter.refund(0, at: later) }
        #expect((0..<50).count { _ in counter.charge(at: later) } == 1)
    }

    @Test("R-04: a refund after the clock has gone backwards changes nothing")
    func backwards() {
        for now: Int64 in [5_000, 20_000] { counter.charge(at: now) }
        counter.refund(5_000, at: 4_999)
        #expect(counter.answer(at: 20_000).attempt == 2)
    }

    @Test(
        "R-03: with any refunds, no half-open span holds more than N charges that remain",
        arguments: WindowTests.rules)
    func exact(rule: LimitRule, count: Int, window: Int64) {
        for seed: UInt64 in 1...20 {
            let randomness = SeededRandomness(seed: seed)
            let counter = Counter(rule)
            var now: Int64 = 1_000_000
            var charged: [Int64] = []
            for _ in 0..<600 {
                now += WindowTests.pause(window, count, randomness)
                if counter.charge(at: now) { charged.append(now) }
                guard randomness.next() % 3 == 0, !charged.isEmpty else { continue }
                // One of the latest, but not always the last.
                let back = Int(randomness.next() % UInt64(min(charged.count, count)))
                counter.refund(charged.remove(at: charged.count - 1 - back), at: now)
            }
            for place in charged.indices.dropFirst(count) {
                #expect(charged[place] - charged[place - count] >= window, "seed \(seed)")
            }
        }
    }
}
