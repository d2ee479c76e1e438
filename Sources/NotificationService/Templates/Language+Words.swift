package import ServiceRuntime
import Texts

extension Language {
    /// The language for a reader with a tag of BCP 47, which may be empty.
    /// - Parameter standard: the operator's default, for a language without texts.
    package init(for tag: String, default standard: Language) {
        self = Language(tag: tag) ?? standard
    }

    /// The `dir` attribute in HTML: all languages are written from left to right.
    var direction: String { "ltr" }
}

extension Language {
    /// The texts of one language besides the messages: formats of lists. They are lines of
    /// `Sources/Texts/mail/words.en.txt` and so on; dates and names of sign-in methods are in
    /// `ServiceRuntime/Errors/Wording/Language+Dates.swift`.
    struct Words: Sendable {
        private let texts: [String: String]
        /// Spans of time are also in errors, for the wait until a limit ends.
        private let spans: Voice

        fileprivate init(_ language: Language) {
            texts = Texts.lines("mail/words.\(language.rawValue).txt")
            spans = Voice(language)
        }

        /// Joins a list: "a, b and c".
        func list(_ items: [String]) -> String {
            guard var list = items.first else { return "" }
            for (index, item) in items.enumerated().dropFirst() {
                list = text(index == items.count - 1 ? "list/last" : "list/more")
                    .replacing("{{list}}", with: list).replacing("{{item}}", with: item)
            }
            return list
        }

        /// A span of time: whole hours, otherwise minutes.
        func span(ofMinutes minutes: Int) -> String {
            let isHours = minutes > 0 && minutes.isMultiple(of: 60)
            let count = isHours ? minutes / 60 : minutes
            return spans.sentence("wait/\(isHours ? "hour" : "minute")\(count == 1 ? "" : "s")")
                .replacing("{{count}}", with: "\(count)")
        }

        /// The text of a key that all languages have; a test compares them.
        private func text(_ key: String) -> String { texts[key] ?? "" }
    }

    /// The texts of this language.
    var words: Words { Self.words[self] ?? Words(self) }

    private static let words = Dictionary(
        uniqueKeysWithValues: allCases.map { ($0, Words($0)) })
}

extension Language {
    /// A time as callers send it, `2026-01-31 09:05 UTC` or `2026-01-31`, in this language's
    /// format. Nil for any other format.
    func text(ofMoment text: String) -> String? {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard let date = parts.first, parts.count == 1 || parts.count == 3 else { return nil }
        let numbers = Self.numbers(date, "-")
        guard date.utf8.count == 10, numbers.count == 3, (1...12).contains(numbers[1]),
            (1...31).contains(numbers[2])
        else { return nil }
        let day = self.date(numbers[0], numbers[1], numbers[2])
        guard parts.count == 3 else { return day }
        let clock = Self.numbers(parts[1], ":")
        guard parts[2] == "UTC", parts[1].utf8.count == 5, clock.count == 2,
            (0...23).contains(clock[0]), (0...59).contains(clock[1])
        else { return nil }
        return moment(day, String(parts[1]))
    }

    /// Empty if one of the parts is not a number.
    private static func numbers(_ text: Substring, _ separator: Character) -> [Int] {
        let parts = text.split(separator: separator, omittingEmptySubsequences: false)
        let numbers = parts.compactMap { part in
            part.allSatisfy { ("0"..."9").contains($0) } ? Int(part) : nil
        }
        return numbers.count == parts.count ? numbers : []
    }
}
