/// Dates as mail and HTTP write them.
extension Timestamp {
    private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Date and time in UTC: `Thu, 01 Jan 2026 00:00:00 +0000` (RFC 5322, 3.3), `… GMT` (RFC 9110,
    /// 5.6.7). Clamped to the years that have four digits.
    /// - Parameter zone: the name of UTC: `+0000` or `GMT`.
    package func internetDate(zone: String) -> String {
        let seconds = min(max(0, self.seconds), 253_402_300_799)
        let (days, second) = seconds.quotientAndRemainder(dividingBy: 86_400)
        let day = CivilDay(since1970: days)
        let clock = [second / 3_600, second / 60 % 60, second % 60].map { Self.padded($0, 2) }
            .joined(separator: ":")
        // 1970-01-01 was a Thursday.
        return """
            \(Self.days[Int((days + 4) % 7)]), \(Self.padded(day.day, 2)) \
            \(Self.months[Int(day.month - 1)]) \(day.year) \(clock) \(zone)
            """
    }

    /// Parses a date in HTTP: `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, 5.6.7). Nil for another
    /// format, the two obsolete ones included. The day's name is not checked.
    package init?(httpDate text: String) {
        func number(_ text: Substring, _ range: ClosedRange<Int>) -> Int? {
            guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(text),
                range.contains(number)
            else { return nil }
            return number
        }
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard text.utf8.count == 29, parts.count == 6, parts[5] == "GMT",
            let day = number(parts[1], 1...31),
            let month = Self.months.firstIndex(of: String(parts[2])),
            let year = number(parts[3], 1970...9999),
            let firstOfMonth = Timestamp(year: year, month: month + 1, day: 1)
        else { return nil }
        let clock = parts[4].split(separator: ":", omittingEmptySubsequences: false)
        guard clock.count == 3, let hour = number(clock[0], 0...23),
            let minute = number(clock[1], 0...59), let second = number(clock[2], 0...60)
        else { return nil }
        self = firstOfMonth + .seconds((day - 1) * 86_400 + hour * 3_600 + minute * 60 + second)
    }
}
