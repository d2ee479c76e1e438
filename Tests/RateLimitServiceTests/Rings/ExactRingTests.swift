import ServiceRuntime
import TestSupport
import Testing

@testable import RateLimitService

@Suite("R-03: the exact ring")
struct ExactRingTests {
    private static let rule = LimitRule(count: 3, window: .seconds(10))

    private static func at(_ milliseconds: Int64) -> Timestamp {
        Timestamp(milliseconds: milliseconds)
    }

    @Test(
        "R-03: three in ten seconds, at the edges",
        arguments: [
            // moments kept, now, answer
            ([], 0, .allowed(remaining: 2)),
            ([0], 0, .allowed(remaining: 1)),
            ([0, 0], 0, .allowed(remaining: 0)),
            ([0, 0, 0], 0, .limited(until: at(10_000))),
            ([0, 1, 2], 9_999, .limited(until: at(10_000))),
            ([0, 1, 2], 10_000, .allowed(remaining: 0)),
            ([0, 1, 2], 10_001, .allowed(remaining: 1)),
            ([0, 1, 2], 10_002, .allowed(remaining: 2)),
            ([0, 5_000, 5_000], 10_000, .allowed(remaining: 0)),
            ([5_000, 5_000, 10_000], 14_999, .limited(until: at(15_000))),
            ([5_000, 5_000, 10_000], 15_000, .allowed(remaining: 1)),
            // More than the rule allows, from a time when it allowed more.
            ([0, 1, 2, 3, 4], 5, .limited(until: at(10_002))),
            ([0, 1, 2, 3, 4], 10_001, .limited(until: at(10_002))),
            ([0, 1, 2, 3, 4], 10_002, .allowed(remaining: 0)),
            // A clock that went backwards frees nobody.
            ([90_000, 90_000, 90_000], 0, .limited(until: at(100_000))),
            // What a broken row may hold must not trap.
            ([.min, .max], 0, .allowed(remaining: 1)),
            ([.min, .max], .max, .allowed(remaining: 1)),
            ([.max, .max, .max], .min, .limited(until: at(.max))),
        ] as [([Int64], Int64, ExactRing.Verdict)])
    func table(kept: [Int64], now: Int64, verdict: ExactRing.Verdict) {
        let ring = ExactRing(kept.map(Self.at))
        #expect(ring.verdict(at: Self.at(now), Self.rule) == verdict)
    }

    @Test("R-04: a refund frees one place, once, and no other charge's")
    func refund() {
        var ring = ExactRing([0, 5, 5, 9].map(Self.at))
        ring.refund(Self.at(5))
        #expect(ring.moments == [0, 5, 9].map(Self.at))
        ring.refund(Self.at(5))
        ring.refund(Self.at(5))
        ring.refund(Self.at(7))
        #expect(ring.moments == [0, 9].map(Self.at))
    }

    @Test("R-03: a charge forgets what no longer counts, and keeps the order")
    func charge() {
        var ring = ExactRing([0, 1, 12_000].map(Self.at))
        ring.charge(at: Self.at(10_000), Self.rule)
        #expect(ring.moments == [1, 10_000, 12_000].map(Self.at))
        #expect(ring.end(Self.rule) == Self.at(22_000))
        ring.expire(at: Self.at(22_000), Self.rule)
        #expect(ring.end(Self.rule) == nil)
    }

    @Test("R-06: what is written is read back, and a cut or empty row does not trap")
    func encoding() {
        let ring = ExactRing([.min, -1, 0, 1_767_225_600_000, .max].map(Self.at))
        #expect(ExactRing(encoded: ring.encoded) == ring)
        for count in 0...ring.encoded.count {
            let cut = ExactRing(encoded: Array(ring.encoded.prefix(count)))
            #expect(cut.moments == Array(ring.moments.prefix(count / 8)))
        }
    }

    @Test(
        "R-03: in no span of the window are there more than N, whatever the phases and pauses",
        arguments: LimitName.allCases)
    func bruteForce(limit: LimitName) {
        let (rule, window) = (limit.rule, limit.rule.window.milliseconds)
        let share = window / Int64(rule.count)
        let pauses = [
            1, 999, share - 1, share, share + 1, window / 2 - 1, window / 2, window - 1, window,
            window + 1,
        ]
        for phase in [0, 1, 499, share, window / 2, window - 1] {
            for pause in pauses {
                #expect(isExact(rule, from: phase) { _ in pause })
                // As many as may at once, then a pause, and so on.
                #expect(
                    isExact(rule, from: phase) { $0.isMultiple(of: rule.count + 1) ? pause : 0 })
            }
        }
        let randomness = SeededRandomness(seed: UInt64(limit.number))
        for _ in 0..<50 {
            let isHeld = isExact(rule, from: 0) { _ in
                let draw = randomness.next()
                let longest = draw.isMultiple(of: 7) ? window : share
                return Int64(draw >> 8) % longest
            }
            #expect(isHeld)
        }
    }

    /// Whether 400 tries go as the plainest way to count says: a list of all that passed, in no
    /// span of which there are more than N, and none that is refused with fewer.
    private func isExact(_ rule: LimitRule, from start: Int64, pause: (Int) -> Int64) -> Bool {
        let window = rule.window.milliseconds
        var ring = ExactRing()
        var passed: [Int64] = []
        var now = start
        for attempt in 1...400 {
            let living = passed.filter { now - $0 < window }.count
            switch ring.verdict(at: Self.at(now), rule) {
            case .allowed(remaining: rule.count - living - 1):
                ring.charge(at: Self.at(now), rule)
                passed.append(now)
            case .limited(let until) where living == rule.count && until > Self.at(now): break
            case .allowed, .limited: return false
            }
            now += pause(attempt)
        }
        return zip(passed, passed.dropFirst(rule.count)).allSatisfy { $1 - $0 >= window }
    }
}
