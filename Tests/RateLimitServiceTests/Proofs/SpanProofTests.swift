import ServiceRuntime
import TestSupport
import Testing

@testable import RateLimitService

/// What a checker that knows only the limits' numbers finds, when it tries with all patience.
@Suite("R-01 … R-03: no span holds more than the limit", .timeLimit(.minutes(2)))
struct SpanProofTests {
    private static let start: Int64 = 1_767_225_600_000

    /// How somebody tries: at once, evenly, in bursts at the edges, at random.
    enum Manner: CaseIterable, Sendable {
        case hammer
        case even
        case edges
        case random

        /// Milliseconds to the next try.
        func pause(_ number: Int, _ window: Int64, _ randomness: SeededRandomness) -> Int64 {
            switch self {
            case .hammer: 1
            case .even: max(1, window / 37)
            case .edges: [0, 0, 0, 0, 0, 0, 0, 1, window - 2, 1, 1][number % 11]
            case .random: Int64(randomness.next() % UInt64(max(2, window / 11)))
            }
        }
    }

    @Test(
        "R-03: over start phases, pauses and manners, of every limit",
        arguments: LimitName.allCases)
    func spans(limit: LimitName) {
        for manner in Manner.allCases {
            for phase in 0..<5 {
                let seed = UInt64(phase + 1)
                let allowed = attack(limit, manner, phase, SeededRandomness(seed: seed))
                for (span, most) in Self.spans(of: limit.rule) {
                    let found = Self.fullest(allowed, span)
                    #expect(
                        found <= most, "\(limit) \(manner) seed \(seed): \(found) in \(span) ms")
                }
                #expect(!allowed.isEmpty)
            }
        }
    }

    /// The moments at which a try was let through.
    private func attack(
        _ limit: LimitName, _ manner: Manner, _ phase: Int, _ randomness: SeededRandomness
    ) -> [Int64] {
        let table = LimitTable(statesMax: 1_000) { _ in CountingRule(limit.rule) }
        let request = LimitRequest(
            key: LimitKey(limit: limit.number, high: 1, low: 2), rule: limit.rule, isShadow: false)
        let window = Self.spans(of: limit.rule)[0].span
        var now = Self.start + Int64(phase) * window / 5
        var allowed: [Int64] = []
        for number in 0..<800 {
            let verdict = table.decide(
                .consume, [request], at: Timestamp(milliseconds: now))
            if !verdict.isLimited { allowed.append(now) }
            now += manner.pause(number, window, randomness)
            // Nobody waits longer than he must: the sharpest attack comes back to the millisecond.
            if manner == .hammer, verdict.isLimited {
                guard let retryAt = verdict.retryAt else { break }
                now = retryAt.milliseconds - 1
                if number % 2 == 1 { now += 1 }
            }
        }
        return allowed
    }

    /// How many a rule lets through at most in any half-open span, by its numbers alone.
    private static func spans(of rule: LimitRule) -> [(span: Int64, most: Int)] {
        switch rule {
        case .ring(let count, let window), .rate(let count, let window):
            return [(window.milliseconds, count)]
        case .lock(let attempts, let lockedFor, let failuresMax):
            return [(lockedFor.milliseconds, attempts), (.max / 4, failuresMax)]
        case .ladder(let delays, _, let perDay):
            var spans: [(span: Int64, most: Int)] = [(86_400_000, perDay)]
            var span: Int64 = 0
            for (rung, delay) in delays.enumerated().dropFirst() {
                span += delay.milliseconds
                spans.append((span, rung))
            }
            return spans
        }
    }

    /// The most moments in any half-open span.
    private static func fullest(_ moments: [Int64], _ span: Int64) -> Int {
        var first = 0
        var most = 0
        for (index, moment) in moments.enumerated() {
            while moment - moments[first] >= span { first += 1 }
            most = max(most, index - first + 1)
        }
        return most
    }
}
