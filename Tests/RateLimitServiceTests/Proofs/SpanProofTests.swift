import Contracts
import ServiceRuntime
import TestSupport
import Testing

@testable import RateLimitService

/// A patient attacker against a checker that knows only the numbers of the limits.
@Suite("R-01 … R-03: no span holds more than the limit", .timeLimit(.minutes(2)))
struct SpanProofTests {
    private static let start: Int64 = 1_767_225_600_000

    @Test(
        "R-03: every limit holds for all start phases, pauses and timings",
        arguments: LimitName.allCases)
    func spans(limit: LimitName) {
        for manner in Trying.allCases {
            for phase in 0..<5 {
                let seed = UInt64(phase + 1)
                let allowed = attack(limit, manner, phase, SeededRandomness(seed: seed))
                for span in LimitSpan.all(of: limit.rule) {
                    let found = span.fullest(allowed)
                    #expect(
                        found <= span.most,
                        "\(limit) \(manner) seed \(seed): \(found) in \(span.length) ms")
                }
                #expect(!allowed.isEmpty)
            }
        }
    }

    /// The times of the attempts that were allowed.
    private func attack(
        _ limit: LimitName, _ manner: Trying, _ phase: Int, _ randomness: SeededRandomness
    ) -> [Int64] {
        let table = LimitTable(statesMax: 1_000) { _ in CountingRule(limit.rule) }
        let request = LimitRequest(
            key: LimitKey(limit: limit.number, high: 1, low: 2), rule: limit.rule, isShadow: false)
        let window = LimitSpan.all(of: limit.rule)[0].length
        var now = Self.start + Int64(phase) * window / 5
        var allowed: [Int64] = []
        for number in 0..<800 {
            let verdict = table.apply(
                .consume, [request], at: Timestamp(milliseconds: now))
            if !verdict.isLimited { allowed.append(now) }
            now += manner.pause(number, window, randomness)
            // The worst case: the attacker returns at the very millisecond, and one before.
            if manner == .hammer, verdict.isLimited {
                guard let retryAt = verdict.retryAt else { break }
                now = retryAt.milliseconds - 1
                if number % 2 == 1 { now += 1 }
            }
        }
        return allowed
    }
}
