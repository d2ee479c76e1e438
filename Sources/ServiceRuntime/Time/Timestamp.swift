/// A moment in UTC, in whole milliseconds since 1970. Stores and messages contain it
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

    /// A day of the proleptic Gregorian calendar.
    /// Source: Howard Hinnant, chrono-Compatible Low-Level Date Algorithms, `civil_from_days`
    /// and `days_from_civil`.
    struct CivilDay {
        let year: Int64
        let month: Int64
        let day: Int64

        /// The day `days` after 1970-01-01. Any value of `Timestamp` fits.
        init(since1970 days: Int64) {
            let shifted = days + 719_468
            let era = shifted.flooredQuotient(by: 146_097)
            let dayOfEra = shifted - era * 146_097
            let yearOfEra =
                (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
            let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
            let shiftedMonth = (5 * dayOfYear + 2) / 153
            day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
            month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
            year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        }

        /// The number of days from 1970-01-01 to a day. Counts years from March, so that the leap
        /// day is the last day of its year.
        static func since1970(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
            let marchYear = month <= 2 ? year - 1 : year
            let era = marchYear.flooredQuotient(by: 400)
            let yearOfEra = marchYear - era * 400
            let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
            return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
                - 719_468
        }
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

extension Timestamp {
    /// The start of a day in UTC. Nil for a day that does not exist, such as February 30.
    /// - Parameter year: 1970 to 9999.
    package init?(year: Int, month: Int, day: Int) {
        guard let date = CalendarDate(year: year, month: month, day: day) else { return nil }
        self.init(startOf: date)
    }

    /// The start of a day in UTC, written as in `2026-01-31` (the full-date of RFC 3339). Nil for
    /// any other text, and for a day that does not exist or is before 1970.
    package init?(date text: some StringProtocol) {
        guard let date = CalendarDate(text: text) else { return nil }
        self.init(startOf: date)
    }

    private init?(startOf date: CalendarDate) {
        guard date.year >= 1970 else { return nil }
        self.init(milliseconds: date.daysSince1970 * 86_400_000)
    }

    /// RFC 3339 in UTC with milliseconds: `2026-01-31T09:05:00.250Z`. Years beyond 9999 or before 0
    /// are written with more digits or a sign. RFC 3339 does not allow these, and no clock here
    /// returns them.
    package var text: String {
        let day = CivilDay(since1970: seconds.flooredQuotient(by: 86_400))
        let second = seconds.flooredRemainder(by: 86_400)
        let thousandth = milliseconds.flooredRemainder(by: 1_000)
        return Self.padded(day.year, 4) + "-" + Self.padded(day.month, 2) + "-"
            + Self.padded(day.day, 2) + "T" + Self.padded(second / 3_600, 2) + ":"
            + Self.padded(second / 60 % 60, 2) + ":" + Self.padded(second % 60, 2) + "."
            + Self.padded(thousandth, 3) + "Z"
    }

    /// A number with at least `width` digits.
    static func padded(_ number: Int64, _ width: Int) -> String {
        let digits = String(number.magnitude)
        let zeros = String(repeating: "0", count: max(0, width - digits.count))
        return (number < 0 ? "-" : "") + zeros + digits
    }
}

extension Int64 {
    /// The quotient rounded down, for a positive divisor.
    func flooredQuotient(by divisor: Int64) -> Int64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }

    /// The remainder, 0 ..< `divisor`, for a positive divisor.
    func flooredRemainder(by divisor: Int64) -> Int64 {
        let remainder = self % divisor
        return remainder < 0 ? remainder + divisor : remainder
    }
}
