import ServiceRuntime
import Testing

@Suite("Dates in words")
struct LanguageDateTests {
    /// Spaces that are shown as `_` do not break a line.
    private static func shown(_ text: String) -> String { text.replacing("\u{A0}", with: "_") }

    @Test(
        "a line is broken between day and time at most, and seconds are left out",
        arguments: [
            (Language.english, "5_December_2026, 09:05_UTC"),
            (.german, "5._Dezember_2026, 09:05_Uhr_(UTC)"),
            (.spanish, "5_de_diciembre_de_2026, 09:05_(UTC)"),
            (.french, "5_décembre_2026 à 09:05_(UTC)"), (.japanese, "2026年12月5日 09:05（UTC）"),
        ])
    func moments(language: Language, text: String) throws {
        let midnight = try #require(Timestamp(year: 2026, month: 12, day: 5))
        let moment = midnight + .seconds(9 * 3_600 + 5 * 60 + 59)
        #expect(Self.shown(moment.moment(in: language)) == text)
        let day = Self.shown(moment.day(in: language))
        #expect(text.hasPrefix(day) && !day.contains(":"))
    }

    @Test("the first of a month has an own form where a language has one")
    func first() throws {
        let first = try #require(Timestamp(year: 2027, month: 1, day: 1))
        #expect(Self.shown(first.day(in: .french)) == "1er_janvier_2027")
        let last = first - .milliseconds(1)
        #expect(Self.shown(last.moment(in: .english)) == "31_December_2026, 23:59_UTC")
    }
}
