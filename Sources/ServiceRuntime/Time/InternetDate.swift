import Glibc

extension Timestamp {
    private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Date and time in UTC, as mail and HTTP write them: `Thu, 01 Jan 2026 00:00:00 +0000` (RFC
    /// 5322, 3.3), `… GMT` (RFC 9110, 5.6.7). Clamped to the years that have four digits.
    /// - Parameter zone: the name of UTC: `+0000` or `GMT`.
    package func internetDate(zone: String) -> String {
        var seconds: time_t = min(max(0, Int(self.seconds)), 253_402_300_799)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        let clock = [parts.tm_hour, parts.tm_min, parts.tm_sec].map(Self.twoDigits)
            .joined(separator: ":")
        return """
            \(Self.days[Int(parts.tm_wday)]), \(Self.twoDigits(parts.tm_mday)) \
            \(Self.months[Int(parts.tm_mon)]) \(parts.tm_year + 1_900) \(clock) \(zone)
            """
    }

    private static func twoDigits(_ number: Int32) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }
}
