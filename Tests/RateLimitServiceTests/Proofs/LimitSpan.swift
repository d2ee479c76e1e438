import Contracts
import ServiceRuntime
import TestSupport

@testable import RateLimitService

/// The timing of an attacker's attempts: as soon as allowed, evenly, in bursts at the boundaries,
/// at random.
enum Trying: CaseIterable, Sendable {
    case hammer
    case even
    case edges
    case random

    /// Milliseconds until the next attempt.
    func pause(_ number: Int, _ window: Int64, _ randomness: SeededRandomness) -> Int64 {
        switch self {
        case .hammer: 1
        case .even: max(1, window / 37)
        case .edges: [0, 0, 0, 0, 0, 0, 0, 1, window - 2, 1, 1][number % 11]
        case .random: Int64(randomness.next() % UInt64(max(2, window / 11)))
        }
    }
}

/// The most charges that a rule allows in any half-open span, derived only from its numbers.
struct LimitSpan: Hashable, Sendable {
    /// In milliseconds.
    let length: Int64
    let most: Int

    /// The spans that a rule guarantees.
    static func all(of rule: LimitRule) -> [LimitSpan] {
        switch rule {
        case .slidingWindow(let count, let window), .gcra(let count, let window):
            return [LimitSpan(length: window.milliseconds, most: count)]
        case .lockout(let attempts, let lockedFor, let failuresMax):
            return [
                LimitSpan(length: lockedFor.milliseconds, most: attempts),
                LimitSpan(length: .max / 4, most: failuresMax),
            ]
        case .escalatingDelay(let delays, _, let perDay):
            var spans = [LimitSpan(length: 86_400_000, most: perDay)]
            var length: Int64 = 0
            for (rung, delay) in delays.enumerated().dropFirst() {
                length += delay.milliseconds
                spans.append(LimitSpan(length: length, most: rung))
            }
            return spans
        }
    }

    /// The most timestamps in any such span.
    func fullest(_ moments: [Int64]) -> Int {
        var first = 0
        var most = 0
        for (index, moment) in moments.enumerated() {
            while moment - moments[first] >= length { first += 1 }
            most = max(most, index - first + 1)
        }
        return most
    }
}
