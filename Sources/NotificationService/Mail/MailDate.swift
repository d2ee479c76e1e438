import Glibc
import ServiceRuntime

/// A date and time in mail format, in UTC: `Thu, 01 Jan 2026 00:00:00 +0000` (RFC 5322, 3.3).
struct MailDate {
    private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    let text: String

    /// `moment`, clamped to the years that have four digits.
    init(_ moment: Timestamp) {
        var seconds: time_t = min(max(0, Int(moment.seconds)), 253_402_300_799)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        let clock = [parts.tm_hour, parts.tm_min, parts.tm_sec].map(Self.twoDigits)
            .joined(separator: ":")
        text = """
            \(Self.days[Int(parts.tm_wday)]), \(Self.twoDigits(parts.tm_mday)) \
            \(Self.months[Int(parts.tm_mon)]) \(parts.tm_year + 1_900) \(clock) +0000
            """
    }

    private static func twoDigits(_ number: Int32) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }
}
