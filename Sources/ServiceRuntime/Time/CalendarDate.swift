/// A day of the proleptic Gregorian calendar, in the years 1 to 9999.
package struct CalendarDate: Hashable, Sendable {
    /// From 1 to 9999.
    package let year: Int
    /// From 1.
    package let month: Int
    /// From 1.
    package let day: Int

    /// A day that exists; nil for any other, such as February 30.
    package init?(year: Int, month: Int, day: Int) {
        guard (1...9999).contains(year), (1...12).contains(month), (1...31).contains(day) else {
            return nil
        }
        (self.year, self.month, self.day) = (year, month, day)
        // February 30 would be March 1 or 2.
        guard Timestamp.CivilDay(since1970: daysSince1970).day == Int64(day) else { return nil }
    }

    /// A day written as in `2026-01-31` (the full-date of RFC 3339); nil for any other text.
    package init?(text: some StringProtocol) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.map(\.utf8.count) == [4, 2, 2],
            parts.allSatisfy({ $0.utf8.allSatisfy { (48...57).contains($0) } }),
            let year = Int(parts[0]), let month = Int(parts[1]), let day = Int(parts[2])
        else { return nil }
        self.init(year: year, month: month, day: day)
    }

    /// The UTC date of a moment; nil beyond the years 1 to 9999, where no clock is.
    package init?(of moment: Timestamp) {
        let day = Timestamp.CivilDay(since1970: moment.seconds.flooredQuotient(by: 86_400))
        self.init(year: Int(day.year), month: Int(day.month), day: Int(day.day))
    }

    /// Negative before 1970.
    package var daysSince1970: Int64 {
        Timestamp.CivilDay.since1970(Int64(year), Int64(month), Int64(day))
    }
}
