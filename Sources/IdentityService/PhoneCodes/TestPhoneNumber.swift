import PhoneNumbers
import ServiceRuntime

/// A number of the operator's for tests, with a code that never changes: for reviewers of an app's
/// store, and for tests that have no phone. It is sent nothing, and from its last day's end on it is
/// refused, so that one which was forgotten opens nothing for ever.
///
/// Written `+15555550100=123456 until 2026-12-31`; the day is UTC's, and the last one.
struct TestPhoneNumber: Hashable, Sendable {
    let number: PhoneNumber
    let code: PhoneCode
    /// From then on it is refused.
    let endsAt: Timestamp

    /// Reads one; nil for what is written otherwise.
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

    /// The first moment after a day: "2026-12-31".
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
        // A day that there is not (31 June) is read as another one, and given back as that.
        guard midnight.text.hasPrefix(text + "T") else { return nil }
        return midnight + .seconds(86_400)
    }

    /// Days since 1970-01-01, for years from 1970 on.
    /// Source: Howard Hinnant, chrono-Compatible Low-Level Date Algorithms, `days_from_civil`.
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
    /// The operator's entry for a number.
    func test(_ number: PhoneNumber) -> TestPhoneNumber? {
        testNumbers.first { $0.number == number }
    }
}
