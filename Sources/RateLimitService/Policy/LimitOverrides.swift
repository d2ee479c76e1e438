package import ServiceRuntime

/// The operator's file of limits. Everything in it is optional; a `*` in a name stands for
/// all names that it fits, and what names one limit alone is stronger:
///
///     failed-sign-in-by-account:
///       count: 10
///       window: 30m
///     failed-provider-*:
///       shadow: true
///     phone-code-request:
///       delays: [0s, 2m, 10m]
///       per-day: 5
///     phone-code-guess-attempts: 3
///
/// What a limit is about, and what kind of rule it has, is not the operator's to change: the flows
/// and the sentences for people rest on it.
package struct LimitOverrides: Settings {
    /// All limits, with what the file says.
    package let policies: LimitPolicies

    package init(reading settings: inout SettingsReader) {
        var read: [LimitName: LimitPolicy] = [:]
        for limit in LimitName.allCases where limit.isOperators {
            let rule = Self.rule(of: limit, &settings)
            let isShadow = settings.boolean(
                "\(limit.rawValue)-shadow", default: false,
                reason: "Counted and told of in the metrics, but not enforced.")
            read[limit] = LimitPolicy(rule: rule, isShadow: isShadow)
        }
        policies = LimitPolicies {
            read[$0] ?? LimitPolicy(rule: $0.rule, isShadow: false)
        }
    }

    private static func rule(
        of limit: LimitName, _ settings: inout SettingsReader
    ) -> LimitRule {
        let name = limit.rawValue
        switch limit.rule {
        case .ring(let count, let window):
            return .ring(
                count: number("\(name)-count", count, 1...LimitRule.momentsMax, &settings),
                window: time("\(name)-window", window, &settings))
        case .rate(let count, let window):
            return .rate(
                count: number("\(name)-count", count, rateCounts, &settings),
                window: time("\(name)-window", window, &settings))
        case .ladder(let delays, let quiet, let perDay):
            return .ladder(
                delays: settings.durations(
                    "\(name)-delays", default: delays, in: .zero...LimitRule.windowMax,
                    countMax: LimitRule.delaysMax, reason: "How long each next one waits (R-01)."),
                quiet: time("\(name)-quiet", quiet, &settings),
                perDay: number("\(name)-per-day", perDay, 1...LimitRule.momentsMax, &settings))
        case .lock(let attempts, let lockedFor, let failuresMax):
            return lock(name, attempts, lockedFor, failuresMax, &settings)
        }
    }

    private static func lock(
        _ name: String, _ attempts: Int, _ lockedFor: Duration, _ failuresMax: Int,
        _ settings: inout SettingsReader
    ) -> LimitRule {
        let attempts = number("\(name)-attempts", attempts, lockAttempts, &settings)
        let most = number("\(name)-failures-max", failuresMax, lockFailures, &settings)
        settings.require(
            attempts <= most, ["\(name)-attempts", "\(name)-failures-max"],
            "a lock cannot take more attempts than failures in all")
        // What is refused here is never counted by; the rule only must be one.
        return .lock(
            attempts: attempts, lockedFor: time("\(name)-locked-for", lockedFor, &settings),
            failuresMax: max(attempts, most))
    }

    /// Above the exact ring's; a bucket is 32 bits.
    private static let rateCounts = (LimitRule.momentsMax + 1)...1_000_000
    /// Codes have six digits: with more guesses at once one in ten thousand people would be guessed.
    private static let lockAttempts = 1...100
    /// NIST SP 800-63B-4 §3.2.2: at most 100 in a row.
    private static let lockFailures = 1...100

    private static func number(
        _ name: String, _ standard: Int, _ range: ClosedRange<Int>,
        _ settings: inout SettingsReader
    ) -> Int {
        settings.integer(
            name, default: standard, in: range, unit: "attempts", reason: "How many are allowed.")
    }

    private static func time(
        _ name: String, _ standard: Duration, _ settings: inout SettingsReader
    ) -> Duration {
        settings.duration(
            name, default: standard, in: .seconds(1)...LimitRule.windowMax,
            reason: "How long it counts.")
    }
}
