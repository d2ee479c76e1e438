import Testing

@testable import RateLimitService

@Suite("R-01: phone numbers are grouped by their leading digits")
struct PhonePrefixTests {
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
        #expect(PhonePrefix.block(number) == block)
        #expect(PhonePrefix.country(number) == country)
    }

    @Test("R-01: of every three first digits, the country code's are the same as in ITU-T E.164")
    func codes() {
        // Stored counts are found by these texts, so that they must not change with a table.
        let ofTwoDigits: Set<String> = [
            "20", "27", "30", "31", "32", "33", "34", "36", "39", "40", "41", "43", "44", "45",
            "46", "47", "48", "49", "51", "52", "53", "54", "55", "56", "57", "58", "60", "61",
            "62", "63", "64", "65", "66", "81", "82", "84", "86", "90", "91", "92", "93", "94",
            "95", "98",
        ]
        for number in 0...999 {
            let first = String(repeating: "0", count: 3 - "\(number)".count) + "\(number)"
            let count =
                switch first.first {
                case "1": 4
                case "7": 1
                default: ofTwoDigits.contains(String(first.prefix(2))) ? 2 : 3
                }
            let whole = "+\(first)23456"
            #expect(PhonePrefix.country(whole) == String(whole.prefix(1 + count)))
        }
    }

    @Test(
        "R-01: text that is not a number is unchanged and causes no trap",
        arguments: [
            "", "+", "+123456", "+1234567890123456", "004915112345678", "4915112345678", "+49 151",
            "+491511234567a", "+49१५११२३४", "\u{0}+4915112345678", "++4915112345678",
            String(repeating: "+", count: 10_000), String(repeating: "1", count: 10_000),
        ])
    func hostile(text: String) {
        #expect(PhonePrefix.block(text) == text)
        #expect(PhonePrefix.country(text) == text)
    }
}
