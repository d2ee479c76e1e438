import Contracts
import TestSupport
import Testing

@testable import RateLimitService

@Suite("R-03: at most N charges are allowed in any span of W")
struct WindowTests {
    static let rules: [(LimitRule, count: Int, window: Int64)] = [
        (.slidingWindow(count: 1, window: .milliseconds(7)), 1, 7),
        (.slidingWindow(count: 5, window: .milliseconds(100)), 5, 100),
        (.slidingWindow(count: 64, window: .milliseconds(640)), 64, 640),
        (.gcra(count: 2, window: .milliseconds(10)), 2, 10),
        (.gcra(count: 65, window: .milliseconds(100)), 65, 100),
        (.gcra(count: 100, window: .milliseconds(333)), 100, 333),
    ]

    @Test("R-03: whatever the pauses, no half-open span holds more than N", arguments: rules)
    func exact(rule: LimitRule, count: Int, window: Int64) {
        for seed: UInt64 in 1...20 {
            let randomness = SeededRandomness(seed: seed)
            let counter = Counter(rule)
            var now: Int64 = 1_000_000
            var allowed: [Int64] = []
            for _ in 0..<600 {
                now += Self.pause(window, count, randomness)
                if counter.charge(at: now) { allowed.append(now) }
            }
            #expect(allowed.count > count, "seed \(seed)")
            for place in allowed.indices.dropFirst(count) {
                #expect(allowed[place] - allowed[place - count] >= window, "seed \(seed)")
            }
        }
    }

    /// Bursts, even steps, and pauses about as long as the window.
    static func pause(
        _ window: Int64, _ count: Int, _ randomness: SeededRandomness
    ) -> Int64 {
        switch randomness.next() % 4 {
        case 0, 1: 0
        case 2: Int64(randomness.next() % UInt64(max(1, 2 * window / Int64(count))))
        default: window / 2 + Int64(randomness.next() % UInt64(window))
        }
    }

    @Test("R-03: the reported retry time is the first that works", arguments: rules)
    func retryAt(rule: LimitRule, count: Int, window: Int64) throws {
        let counter = Counter(rule)
        for now: Int64 in 1_000...1_000 + window { while counter.charge(at: now) {} }
        for _ in 0..<3 {
            let answer = counter.answer(at: 1_000 + window)
            let retryAt = try #require(answer.retryAt)
            #expect(counter.answer(at: retryAt - 1).isLimited)
            #expect(!counter.answer(at: retryAt).isLimited)
        }
    }

    @Test("R-03: a clock that goes backwards allows nothing more", arguments: rules)
    func backwards(rule: LimitRule, count: Int, window: Int64) {
        let counter = Counter(rule)
        while counter.charge(at: 1_000_000) {}
        for back: Int64 in [1, window, 999_999] {
            #expect(counter.answer(at: 1_000_000 - back).isLimited)
        }
    }

    @Test("R-04: a refund returns one charge and no other", arguments: rules)
    func refund(rule: LimitRule, count: Int, window: Int64) {
        let counter = Counter(rule)
        while counter.charge(at: 5_000) {}
        counter.refund(5_000, at: 5_000)
        #expect(counter.charge(at: 5_000))
        #expect(!counter.charge(at: 5_000))
    }

    @Test("R-06: with a lowered maximum, a window with more charges is limited until they expire")
    func lowered() throws {
        let counter = Counter(.slidingWindow(count: 5, window: .milliseconds(100)))
        for now: Int64 in [10, 20, 30, 40] { #expect(counter.charge(at: now)) }
        counter.change(to: .slidingWindow(count: 2, window: .milliseconds(100)), at: 50)
        #expect(counter.answer(at: 50).retryAt == 130)
        #expect(!counter.answer(at: 130).isLimited)
        counter.change(to: .slidingWindow(count: 2, window: .milliseconds(500)), at: 130)
        #expect(counter.answer(at: 130).retryAt == 530)
    }

    @Test("R-06: changing from a window to a rate, and back, allows no extra charge")
    func adopted() {
        let counter = Counter(.slidingWindow(count: 64, window: .seconds(100)))
        for now: Int64 in 1_000..<1_064 { #expect(counter.charge(at: now)) }
        counter.change(to: .gcra(count: 66, window: .seconds(100)), at: 1_064)
        #expect(!counter.charge(at: 1_064))
        counter.change(to: .slidingWindow(count: 64, window: .seconds(100)), at: 1_065)
        #expect(!counter.charge(at: 1_065))
        counter.change(to: .lockout(attempts: 1, lockedFor: .seconds(9), failuresMax: 9), at: 1_066)
        #expect(!counter.charge(at: 1_066))
    }

    @Test("R-03: remaining, attempt and reset time are right after each charge")
    func remaining() {
        let counter = Counter(.slidingWindow(count: 3, window: .milliseconds(100)))
        for attempt in 1...3 {
            let answer = counter.answer(at: Int64(attempt) * 10)
            #expect(answer.attempt == attempt)
            #expect(answer.remaining == 3 - attempt)
            #expect(answer.resetAt == Int64(attempt) * 10 + 100)
            counter.charge(at: Int64(attempt) * 10)
        }
        #expect(counter.answer(at: 40).resetAt == 130)
        #expect(counter.rule.end(counter.state) == 130)
    }
}
