import ServiceRuntime

/// A day of the calendar, as a birth date.
///
/// Ages are counted in whole years at the UTC date, whatever the person's time zone: a time zone
/// could only be believed, not checked. A birthday so begins up to 14 hours late, or 12 hours
/// early. Who was born on February 29 completes a year on March 1 of a year without that day.
struct BirthDate: Hashable, Sendable {
    /// Who is older has mistyped the year.
    private static let ageMax = 150
    /// Years after which the calendar repeats.
    private static let calendarYears = 400

    let year: Int
    let month: Int
    let day: Int

    /// A day that exists; nil for any other.
    init?(year: Int, month: Int, day: Int) {
        // The calendar repeats, and `Timestamp` begins in 1970.
        guard (1...9_999).contains(year),
            Timestamp(year: year % Self.calendarYears + 2_000, month: month, day: day) != nil
        else { return nil }
        (self.year, self.month, self.day) = (year, month, day)
    }

    /// A day written as in `2013-01-31` (the full-date of RFC 3339); nil for any other text.
    init?(text: some StringProtocol) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.map(\.utf8.count) == [4, 2, 2],
            parts.allSatisfy({ $0.utf8.allSatisfy { (48...57).contains($0) } }),
            let year = Int(parts[0]), let month = Int(parts[1]), let day = Int(parts[2])
        else { return nil }
        self.init(year: year, month: month, day: day)
    }

    /// The UTC date of a moment; nil beyond the years 1 to 9999, where no clock is.
    init?(of moment: Timestamp) {
        self.init(text: moment.text.prefix { $0 != "T" })
    }

    /// The text that `init(text:)` reads.
    var text: String {
        func padded(_ number: Int, _ width: Int) -> String {
            let digits = "\(number)"
            return String(repeating: "0", count: max(0, width - digits.count)) + digits
        }
        return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
    }

    /// The completed years on a day; nil for a date that no living person has.
    func age(on today: BirthDate) -> Int? {
        let isBefore = (today.month, today.day) < (month, day)
        let years = today.year - year - (isBefore ? 1 : 0)
        return (0...Self.ageMax).contains(years) ? years : nil
    }
}
