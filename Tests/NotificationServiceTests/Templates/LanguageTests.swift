import Contracts
import ServiceRuntime
import Testing
import Texts

@testable import NotificationService

@Suite("Languages")
struct LanguageTests {
    @Test(
        "RFC 4647, 3.4: a language tag selects the closest language, or the default",
        arguments: [
            ("de", Language.german), ("de-AT", .german), ("DE-latn-at", .german),
            ("es-419", .spanish),
            ("fr-x-private", .french), ("ja-JP-u-ca-japanese", .japanese), ("en", .english),
            ("", .spanish), ("it", .spanish), ("deu", .spanish), ("-", .spanish),
            ("x-de", .spanish),
            ("zh-Hans-CN", .spanish),
        ])
    func lookUp(_ tag: String, _ language: Language) {
        #expect(Language(for: tag, default: .spanish) == language)
    }

    @Test(
        "dates and times are formatted for each language, with the time zone",
        arguments: [
            (Language.english, "1 March 2026, 09:05 UTC", "31 December 2026"),
            (.german, "1. März 2026, 09:05 Uhr (UTC)", "31. Dezember 2026"),
            (.spanish, "1 de marzo de 2026, 09:05 (UTC)", "31 de diciembre de 2026"),
            (.french, "1er mars 2026 à 09:05 (UTC)", "31 décembre 2026"),
            (.japanese, "2026年3月1日 09:05（UTC）", "2026年12月31日"),
        ])
    func moments(_ language: Language, _ moment: String, _ day: String) {
        #expect(language.text(ofMoment: "2026-03-01 09:05 UTC") == moment)
        #expect(language.text(ofMoment: "2026-12-31") == day)
    }

    @Test(
        "spans of time are formatted for each language: whole hours, otherwise minutes",
        arguments: [
            (Language.english, "1 hour", "24 hours", "1 minute", "90 minutes"),
            (.german, "1 Stunde", "24 Stunden", "1 Minute", "90 Minuten"),
            (.spanish, "1 hora", "24 horas", "1 minuto", "90 minutos"),
            (.french, "1 heure", "24 heures", "1 minute", "90 minutes"),
            (.japanese, "1時間", "24時間", "1分", "90分"),
        ])
    func spans(
        _ language: Language, _ hour: String, _ day: String, _ minute: String, _ minutes: String
    ) {
        let spans = [60, 1_440, 1, 90].map { language.words.span(ofMinutes: $0) }
        #expect(spans == [hour, day, minute, minutes])
    }

    @Test("every language has twelve different month names")
    func months() {
        for language in Language.allCases {
            let names = Set((1...12).map { language.date(2026, $0, 5) })
            #expect(names.count == 12)
            #expect(
                names.allSatisfy { $0.contains("2026") && $0.contains("5") && !$0.contains("{{") })
        }
    }

    @Test(
        "text that is not a date or time is rejected",
        arguments: [
            "", "noon", "2026-13-01", "2026-00-10", "2026-01-32", "2026-01-31 24:00 UTC",
            "2026-01-31 09:60 UTC", "2026-01-31 09:05", "2026-01-31 09:05 CET", "2026-1-31",
            "2026-01-31  09:05 UTC", "99999-01-01", "2026-01--1", "2026-+1-01",
        ])
    func noMoments(_ text: String) {
        #expect(Language.english.text(ofMoment: text) == nil)
    }

    @Test("sign-in methods are named and joined in each language; an unknown one keeps its name")
    func methods() {
        for language in Language.allCases {
            let keys = Texts.lines("mail/words.\(language.rawValue).txt").keys.sorted()
            #expect(keys == Texts.lines("mail/words.en.txt").keys.sorted())
            for method in SignInMethod.builtIn + BuiltInProvider.allCases.map(\.method) {
                #expect(keys.contains("method/\(method.name)"))
            }
            #expect(keys.contains("month/12"))
            #expect(language.method("saml") == "saml")
        }
        #expect(Language.german.words.list(["a"]) == "a")
        #expect(Language.german.words.list([]) == "")
        #expect(Language.german.words.list(["a", "b", "c"]) == "a, b und c")
        #expect(Language.japanese.words.list(["a", "b", "c"]) == "a、b、c")
    }
}
