/// A moment in UTC, in whole milliseconds since 1970. Stores keep it, and messages carry it
/// (`…_at_ms`).
package struct Timestamp: Hashable, Comparable, Sendable {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    package let milliseconds: Int64

    /// A moment `milliseconds` after 1970-01-01T00:00:00Z.
    package init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// Whole seconds since 1970, rounded down, as JWT claims count them.
    package var seconds: Int64 { milliseconds.flooredQuotient(by: 1_000) }

    /// Whether `left` is earlier than `right`.
    package static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.milliseconds < right.milliseconds
    }

    /// The moment `duration` after `moment`. Saturates instead of overflowing.
    package static func + (moment: Timestamp, duration: Duration) -> Timestamp {
        let (sum, overflow) = moment.milliseconds.addingReportingOverflow(duration.milliseconds)
        return Timestamp(milliseconds: overflow ? (duration < .zero ? .min : .max) : sum)
    }

    /// The moment `duration` before `moment`. Saturates instead of overflowing.
    package static func - (moment: Timestamp, duration: Duration) -> Timestamp {
        let (gap, overflow) =
            moment.milliseconds.subtractingReportingOverflow(duration.milliseconds)
        return Timestamp(milliseconds: overflow ? (duration < .zero ? .max : .min) : gap)
    }

    /// The duration from `right` to `left`. Negative when `left` is earlier.
    package static func - (left: Timestamp, right: Timestamp) -> Duration {
        let (gap, overflow) = left.milliseconds.subtractingReportingOverflow(right.milliseconds)
        return .milliseconds(overflow ? (left < right ? .min : .max) : gap)
    }
}

extension Duration {
    /// Whole milliseconds, rounded towards zero and clamped to `Int64`. Safe for any duration: a
    /// caller's deadline becomes one of these, and `components` would trap on a large one.
    package var milliseconds: Int64 { Int64(clamping: attoseconds / 1_000_000_000_000_000) }

    /// Whole nanoseconds, rounded towards zero and clamped to `UInt64`. Zero for negative
    /// durations.
    package var nanoseconds: UInt64 { UInt64(clamping: attoseconds / 1_000_000_000) }
}
