import Testing

@testable import RateLimitService

@Suite("R-01: phone numbers are grouped by their leading digits")
struct PhoneFoldTests {
    @Test(
        "R-01: a number has a block and a country",
        arguments: [
            ("+4915112345678", "+4915112345xxx", "+49"), ("+447700900123", "+447700900xxx", "+44"),
            ("+12025550123", "+12025550xxx", "+1202"), ("+18765550123", "+18765550xxx", "+1876"),
            ("+79161234567", "+79161234xxx", "+7"), ("+35312345678", "+35312345xxx", "+353"),
            ("+2391234567", "+2391234xxx", "+239"),
            ("+882123456789012", "+882123456789xxx", "+882"),
            ("+1234567", "+1234xxx", "+1234"),
        ])
    func table(number: String, block: String, country: String) {
        #expect(PhoneFold.block(number) == block)
        #expect(PhoneFold.country(number) == country)
    }

    @Test(
        "R-01: text that is not a number is kept unchanged and causes no trap",
        arguments: [
            "", "+", "+123456", "+1234567890123456", "004915112345678", "4915112345678", "+49 151",
            "+491511234567a", "+49१५११२३४", "\u{0}+4915112345678", "++4915112345678",
            String(repeating: "+", count: 10_000), String(repeating: "1", count: 10_000),
        ])
    func hostile(text: String) {
        #expect(PhoneFold.block(text) == text)
        #expect(PhoneFold.country(text) == text)
    }
}
