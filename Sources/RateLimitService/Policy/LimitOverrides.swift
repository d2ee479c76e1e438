import Contracts
package import ServiceRuntime

/// The operator's file of limits. Everything in it is optional. A `*` in a name matches all
/// names that it fits; a setting for one limit takes precedence:
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
/// The operator cannot change a limit's subject or the kind of its rule, because the flows and the
/// sentences for users depend on them.
package struct LimitOverrides: Settings, Equatable {
    /// All limits, with the file's overrides.
    package let policies: LimitPolicies

    package init(reading settings: inout SettingsReader) {
        var read: [LimitName: LimitPolicy] = [:]
        for limit in LimitName.allCases where limit.isOperators {
            let rule = Self.rule(of: limit, &settings)
            var isShadow = false
            settings.boolean(
                "\(limit.rawValue)-shadow", &isShadow,
                reason: "Counted and reported in the metrics, but not enforced.")
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
        case .slidingWindow(let count, let window):
            return .slidingWindow(
                count: number("\(name)-count", count, 1...LimitRule.momentsMax, &settings),
                window: time("\(name)-window", window, &settings))
        case .gcra(let count, let window):
            return .gcra(
                count: number("\(name)-count", count, rateCounts, &settings),
                window: time("\(name)-window", window, &settings))
        case .escalatingDelay(var delays, let quiet, let perDay):
            settings.durations(
                "\(name)-delays", &delays, in: .zero...LimitRule.windowMax,
                countMax: LimitRule.delaysMax, reason: "The delay before each request (R-01).")
            return .escalatingDelay(
                delays: delays, quiet: time("\(name)-quiet", quiet, &settings),
                perDay: number("\(name)-per-day", perDay, 1...LimitRule.momentsMax, &settings))
        case .lockout(let attempts, let lockedFor, let failuresMax):
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
            "a lockout cannot allow more attempts than failures in all")
        // Invalid settings are rejected and never used. The value only has to be a valid rule.
        return .lockout(
            attempts: attempts, lockedFor: time("\(name)-locked-for", lockedFor, &settings),
            failuresMax: max(attempts, most))
    }

    /// Larger than a sliding window's. At most 1,000,000, so that a step of `GCRA` is at least a
    /// microsecond even with the shortest window of 1 s.
    private static let rateCounts = (LimitRule.momentsMax + 1)...1_000_000
    /// Codes have six digits, so 100 guesses find one code in ten thousand.
    private static let lockAttempts = 1...100
    /// NIST SP 800-63B-4 §3.2.2: at most 100 in a row.
    private static let lockFailures = 1...100

    private static func number(
        _ name: String, _ standard: Int, _ range: ClosedRange<Int>,
        _ settings: inout SettingsReader
    ) -> Int {
        var count = standard
        settings.integer(
            name, &count, in: range, unit: "attempts", reason: "How many are allowed.")
        return count
    }

    private static func time(
        _ name: String, _ standard: Duration, _ settings: inout SettingsReader
    ) -> Duration {
        var time = standard
        settings.duration(
            name, &time, in: .seconds(1)...LimitRule.windowMax,
            reason: "The length of the window or wait.")
        return time
    }
}
