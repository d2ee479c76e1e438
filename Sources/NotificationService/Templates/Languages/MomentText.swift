/// A time as callers send it, `2026-01-31 09:05 UTC` or `2026-01-31`, in the format of a language.
/// The time zone is always shown, because the reader's is not known.
struct MomentText {
    private let day: (year: Int, month: Int, day: Int)
    /// `09:05`; nil for a date.
    private let time: String?

    /// Nil for any other format; the text is then shown unchanged.
    init?(_ text: String) {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard let date = words.first, words.count == 1 || words.count == 3 else { return nil }
        let numbers = Self.numbers(date, "-")
        guard date.utf8.count == 10, numbers.count == 3, (1...12).contains(numbers[1]),
            (1...31).contains(numbers[2])
        else { return nil }
        day = (numbers[0], numbers[1], numbers[2])
        guard words.count == 3 else {
            time = nil
            return
        }
        let clock = Self.numbers(words[1], ":")
        guard words[2] == "UTC", words[1].utf8.count == 5, clock.count == 2,
            (0...23).contains(clock[0]), (0...59).contains(clock[1])
        else { return nil }
        time = String(words[1])
    }

    /// Empty if one of the parts is not a number.
    private static func numbers(_ text: Substring, _ separator: Character) -> [Int] {
        let parts = text.split(separator: separator, omittingEmptySubsequences: false)
        let numbers = parts.compactMap { part in
            part.allSatisfy { ("0"..."9").contains($0) } ? Int(part) : nil
        }
        return numbers.count == parts.count ? numbers : []
    }

    /// The text for readers of `language`.
    func text(in language: Language) -> String {
        let words = language.words
        let day = words.day(day.year, day.month, day.day)
        return time.map { words.moment(day, $0) } ?? day
    }
}
