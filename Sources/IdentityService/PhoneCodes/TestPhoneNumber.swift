import Addresses
import ServiceRuntime

/// A test number of the operator with a fixed code, for app store reviewers and for tests without a
/// phone. It gets no messages. It is rejected after its last day, so that a forgotten entry does
/// not give access forever.
///
/// Written as `+15555550100=123456 until 2026-12-31`. The day is in UTC and included.
struct TestPhoneNumber: Hashable, Sendable {
    let number: PhoneNumber
    let code: PhoneCode
    /// The number is rejected from this time on.
    let endsAt: Timestamp

    /// Parses an entry; nil when it is malformed.
    init?(_ text: String) {
        let words = text.split(separator: " ")
        guard words.count == 3, words[1] == "until", let day = Self.dayAfter(words[2]) else {
            return nil
        }
        let pair = words[0].split(separator: "=", omittingEmptySubsequences: false)
        guard pair.count == 2, let number = PhoneNumber(String(pair[0])),
            let code = PhoneCode(typed: String(pair[1]))
        else { return nil }
        self.number = number
        self.code = code
        endsAt = day
    }

    /// The start of the day after a date such as "2026-12-31".
    private static func dayAfter(_ text: Substring) -> Timestamp? {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.map(\.utf8.count) == [4, 2, 2],
            parts.allSatisfy({ $0.utf8.allSatisfy { (48...57).contains($0) } })
        else { return nil }
        let numbers = parts.compactMap { Int64($0) }
        guard numbers.count == 3, numbers[0] >= 1970, (1...12).contains(numbers[1]),
            (1...31).contains(numbers[2])
        else { return nil }
        let midnight = Timestamp(
            milliseconds: days(year: numbers[0], month: numbers[1], day: numbers[2]) * 86_400_000)
        // A date that does not exist (31 June) is converted to another one, and its text then
        // differs.
        guard midnight.text.hasPrefix(text + "T") else { return nil }
        return midnight + .seconds(86_400)
    }

    /// Days since 1970-01-01, for years from 1970 on. Source: Howard Hinnant, chrono-Compatible
    /// Low-Level Date Algorithms, `days_from_civil`.
    private static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let era = shifted / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }
}

extension PhoneSettings {
    /// The operator's entry for a number; nil for none.
    func test(_ number: PhoneNumber) -> TestPhoneNumber? {
        testNumbers.first { $0.number == number }
    }
}
