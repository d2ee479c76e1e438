import ServiceRuntime
import Testing

@Suite("The form of a language tag")
struct LanguageTagTests {
    @Test(
        "RFC 5646: parts of 1 to 8 letters and digits are a tag",
        arguments: [
            "de", "DE", "pt-BR", "de-formal", "sr-Latn-RS", "es-419", "x-a", "i-klingon",
            "de-1996", "en-a-bbb-x-a-ccc", "abcdefgh", "aaaaaaaa-aaaaaaaa-aaaaaaaa-aaaaaaaa",
        ])
    func valid(text: String) {
        #expect(LanguageTag.isValid(text))
    }

    @Test(
        "an empty or long part, another character and a long text are no tag",
        arguments: [
            "", "-", "-de", "de-", "de--at", "abcdefghi", "de_AT", "de AT", "de\n", "dé", "de-٣",
            "de-\u{301}", "aaaaaaaa-aaaaaaaa-aaaaaaaa-aaaaaaaa-",
            "aaaaaaaa-aaaaaaaa-aaaaaaaa-aaaaaaaa-a",
        ])
    func invalid(text: String) {
        #expect(!LanguageTag.isValid(text))
    }
}
