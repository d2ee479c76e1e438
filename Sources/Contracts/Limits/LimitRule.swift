import ServiceRuntime

/// How a limit counts (R-01 … R-03; `RateLimitService/Algorithms/`). The operator may change its
/// numbers. Stored states stay valid, because they contain moments and no numbers of the rule.
package enum LimitRule: Hashable, Sendable {
    /// At most `count`, 1 to 64, in any span of `window`: exact.
    case slidingWindow(count: Int, window: Duration)
    /// At most `count` in any span of `window`, half of them at once: for counts above 64.
    case gcra(count: Int, window: Duration)
    /// Escalating delays, at most 8, and at most `perDay`, 1 to 64, in any 24 hours.
    case escalatingDelay(delays: [Duration], quiet: Duration, perDay: Int)
    /// `attempts` guesses, then a wait; after `failuresMax` without a success permanently locked.
    case lockout(attempts: Int, lockedFor: Duration, failuresMax: Int)

    /// The largest number of moments in one state.
    package static let momentsMax = 64
    /// The largest number of escalating delays.
    package static let delaysMax = 8
    /// The longest window or wait: moments are stored as 32 bits of milliseconds after the first
    /// one.
    package static let windowMax = Duration.seconds(40 * 24 * 3_600)
    /// The longest window of one charge, which stores only its first moment.
    package static let markMax = Duration.seconds(90 * 24 * 3_600)

    /// The error in the rule's numbers, as a sentence for the operator; nil if they are valid.
    package var flaw: String? {
        switch self {
        case .slidingWindow(let count, let window):
            Self.flaw(count, 1...Self.momentsMax, "count")
                ?? (count == 1 && window <= Self.markMax ? nil : Self.flaw(window, "window"))
        case .gcra(let count, let window):
            Self.flaw(count, 2...1_000_000_000, "count") ?? Self.flaw(window, "window")
        case .escalatingDelay(let delays, let quiet, let perDay):
            Self.flaw(delays.count, 1...Self.delaysMax, "number of delays")
                ?? delays.lazy.compactMap { Self.flaw($0, "delay", orZero: true) }.first
                ?? Self.flaw(quiet, "quiet time")
                ?? Self.flaw(perDay, 1...Self.momentsMax, "number a day")
        case .lockout(let attempts, let lockedFor, let failuresMax):
            Self.flaw(attempts, 1...1_000, "number of attempts") ?? Self.flaw(lockedFor, "lock")
                ?? Self.flaw(failuresMax, attempts...60_000, "number of failures")
        }
    }

    private static func flaw(_ number: Int, _ range: ClosedRange<Int>, _ what: String) -> String? {
        range.contains(number)
            ? nil : "the \(what) must be \(range.lowerBound) to \(range.upperBound)"
    }

    private static func flaw(_ time: Duration, _ what: String, orZero: Bool = false) -> String? {
        let least = orZero ? Duration.zero : .milliseconds(1)
        return (least...windowMax).contains(time)
            ? nil : "the \(what) must be \(orZero ? "0" : "1 ms") to 40 days"
    }
}

extension LimitRule {
    /// The rule as a text for the operator, in the terms of the limits file: `5 in 15m`.
    package var text: String {
        switch self {
        case .slidingWindow(let count, let window):
            "\(count) in \(DurationText.write(window))"
        case .gcra(let count, let window):
            "\(count) in \(DurationText.write(window)), half of them at once"
        case .escalatingDelay(let delays, let quiet, let perDay):
            "waits of \(delays.map(DurationText.write).joined(separator: ", ")), "
                + "one less after \(DurationText.write(quiet)), \(perDay) a day"
        case .lockout(let attempts, let lockedFor, let failuresMax):
            "\(attempts), then locked for \(DurationText.write(lockedFor)), "
                + "\(failuresMax) without a success"
        }
    }
}
