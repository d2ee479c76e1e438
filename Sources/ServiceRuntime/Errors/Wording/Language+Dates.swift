import Texts

/// Dates and times in words, for mails and pages. Their formats and the names of months are lines
/// of `Sources/Texts/mail/words.en.txt` and so on, as are the names of sign-in methods.
extension Language {
    /// The name of a sign-in method (`google`) within a list or in parentheses. An unknown one is
    /// shown as it is: a provider of the operator's, or one that a newer caller uses.
    package func method(_ name: String) -> String { Self.words[self]?["method/\(name)"] ?? name }

    /// A date: `5 December 2026`. Some languages have an own form for the first day of a month.
    package func date(_ year: Int, _ month: Int, _ day: Int) -> String {
        dateWord(day == 1 ? "date/1" : "date").replacing("{{day}}", with: "\(day)")
            .replacing("{{month}}", with: dateWord("month/\(month)"))
            .replacing("{{year}}", with: "\(year)")
    }

    /// A date and a time of day, both already formatted. The time zone is always shown, because the
    /// reader's is not known.
    package func moment(_ date: String, _ time: String) -> String {
        dateWord("moment").replacing("{{date}}", with: date).replacing("{{time}}", with: time)
    }

    /// The text of a key that all languages have; a test compares them.
    private func dateWord(_ key: String) -> String { Self.words[self]?[key] ?? "" }

    private static let words = Dictionary(
        uniqueKeysWithValues: allCases.map { language in
            (language, Texts.lines("mail/words.\(language.rawValue).txt"))
        })
}

extension Timestamp {
    /// The space at which no line is broken.
    private static let unbroken = "\u{A0}"

    /// The day in UTC, in words: `5 December 2026`. No line is broken in it.
    package func day(in language: Language) -> String {
        let day = CivilDay(since1970: seconds.flooredQuotient(by: 86_400))
        return language.date(Int(day.year), Int(day.month), Int(day.day))
            .replacing(" ", with: Self.unbroken)
    }

    /// The day and the time in UTC, in words: `5 December 2026, 14:00 UTC`. Seconds are left out. A
    /// line is broken between day and time only.
    package func moment(in language: Language) -> String {
        let minutes = seconds.flooredRemainder(by: 86_400) / 60
        let time = "\(Self.padded(minutes / 60, 2)):\(Self.padded(minutes % 60, 2))"
        let text = language.moment(day(in: language), time)
        guard let shown = text.firstRange(of: time) else { return text }
        let end = text[shown.lowerBound...].replacing(" ", with: Self.unbroken)
        return "\(text[..<shown.lowerBound])\(end)"
    }
}
