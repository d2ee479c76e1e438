import Messages
import ServiceRuntime

extension RateLimitV1.Limit {
    /// `failed-sign-in-by-account  5 in 15m  (changed, shadow)`
    func line(_ width: Int) -> String {
        let marks = [
            (changed, "changed"), (shadow, "shadow"), (`internal`, "part of others"),
        ].filter(\.0).map(\.1)
        let padding = String(repeating: " ", count: max(0, width - name.count))
        let notes = marks.isEmpty ? "" : "  (\(marks.joined(separator: ", ")))"
        return "\(name)\(padding)  \(rule)\(notes)"
    }
}

extension RateLimitV1.Decision {
    /// `limited by failed-sign-in-by-account for 12m` or
    /// `free: 4 more after the next, by failed-sign-in-by-account`
    var line: String {
        guard limited else { return "free: \(remaining) more after the next, by \(limit)" }
        return "limited by \(limit) for \(Self.wait(milliseconds: retryAfterMs))"
    }

    /// Rounded up to a whole unit: never less than the wait.
    private static func wait(milliseconds: UInt64) -> String {
        let seconds = milliseconds / 1_000 + (milliseconds % 1_000 > 0 ? 1 : 0)
        return switch seconds {
        case ..<120: "\(seconds)s"
        case ..<7_200: "\((seconds + 59) / 60)m"
        default: "\((seconds / 60 + 59) / 60)h"
        }
    }
}

extension RateLimitV1.ResetResponse {
    /// Whether there were counters: a mistyped subject has none.
    var line: String { forgotten > 0 ? "forgotten" : "nothing was counted" }
}

extension RateLimitV1.SubjectKey {
    /// `2  current  since 2026-01-31T09:05:00.250Z`
    var line: String {
        let begun = sinceMs == 0 ? "the start" : Timestamp(milliseconds: sinceMs).text
        guard untilMs > 0 else { return "\(number)  current  since \(begun)" }
        return "\(number)  former   until \(Timestamp(milliseconds: untilMs).text)"
    }
}
