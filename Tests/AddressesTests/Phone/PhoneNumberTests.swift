import Addresses
import ServiceRuntime
import Testing

/// Numbers as people write them (I-05).
struct PhoneNumberTests {
    @Test(
        "I-05: all spellings of one number are one",
        arguments: [
            "+4915112345678", "+49 151 12345678", "+49-151-123.456.78", " +49 (151) 12345678 ",
            "(+49) 151 12345678", "+49\u{A0}151\u{202F}12345678", "+49\u{2011}151\u{2010}12345678",
            "\u{202A}+49 151 12345678\u{202C}", "[+49] 151 12345678",
        ])
    func spelling(entered: String) {
        #expect(PhoneNumber(entered)?.text == "+4915112345678")
    }

    @Test(
        "I-05: what is no number for certain is refused",
        arguments: [
            "", "+", "4915112345678", "004915112345678", "0151 12345678", "415-555-2671",
            "+49 (0)151 12345678", "+4915", "+123456", "+4912345678901234", "+0151123456",
            "+49 151 1234x678", "+49 151 12345678 ext 9", "++4915112345678", "+49+15112345678",
            "49+15112345678", "+٤٩١٥١١٢٣٤٥٦٧٨", "＋4915112345678", "+49１５112345678",
            "+49\u{0}15112345678", "+49\n15112345678", "+49/151/12345678",
            // One character of three scalars, which must not hide a digit.
            "+4915112345678\u{301}",
            "+999 12345678", "+210 12345678",
            // In Italy a number can begin with 0, and this is not the way to write one.
            "+39 (0)6 12345678",
            // Of the North American plan: nine digits, eleven, an area or an office from 0 or 1.
            "+1 415 555 267", "+1 415 555 26711", "+1 015 555 2671", "+1 415 155 2671",
            String(repeating: " ", count: 60) + "+4915112345678",
        ])
    func refused(entered: String) {
        #expect(PhoneNumber(entered) == nil)
    }

    @Test("I-05: seven to fifteen digits, country's code and all")
    func length() {
        #expect(PhoneNumber("+690729") == nil)
        #expect(PhoneNumber("+6907290") != nil)
        #expect(PhoneNumber("+49151123") != nil)
        #expect(PhoneNumber("+491511234567890")?.text == "+491511234567890")
        #expect(PhoneNumber("+4915112345678901") == nil)
    }

    @Test("I-05: the refusal says which field")
    func error() throws {
        let error = #expect(throws: ServiceError.self) { try PhoneNumber.required("0151") }
        #expect(error == ServiceError(.invalidPhoneNumber, fields: ["phone_number"]))
    }

    @Test(
        "I-05: the refusal says which rule a number breaks",
        arguments: [
            ("+49 0151 12345678", PhoneNumberRule.trunkPrefix),
            ("+49 (0)151 12345678", .trunkPrefix), ("+7 8 916 123-45-67", .trunkPrefix),
            ("+36 06 20 123 4567", .trunkPrefix), ("+1 1 415 555 2671", .trunkPrefix),
            ("+81 090 1234 5678", .trunkPrefix), ("+375 80 29 491 19 11", .trunkPrefix),
            ("+33 6 12 34 56 7", .digitCount), ("+1 415 555 267", .digitCount),
            ("+54 11 15 2345 6789", .digitCount), ("+888 12345678", .digitCount),
            ("+49 900 1234567", .numberKind), ("+49 180 5123456", .numberKind),
            ("+49 151 13 12345678", .numberKind), ("+1 900 555 1234", .numberKind),
            ("+979 123456789", .numberKind), ("+808 12345678", .numberKind),
        ])
    func rule(number: String, rule: PhoneNumberRule) {
        let error = #expect(throws: ServiceError.self) { try PhoneNumber.required(number) }
        #expect(error == .invalidPhoneNumber(rule))
    }

    @Test("I-05: a 0 that is a part of the number stays, in Italy and in Gabon")
    func ownZero() {
        #expect(PhoneNumber("+39 06 1234 5678")?.text == "+390612345678")
        #expect(PhoneNumber("+241 06 03 12 34")?.text == "+24106031234")
        #expect(PhoneNumber("+390612345678")?.formerTexts == [])
    }

    @Test("I-05: the former texts of a number have the trunk prefix behind the country code")
    func formerTexts() {
        #expect(PhoneNumber("+49 151 12345678")?.formerTexts == ["+49015112345678"])
        #expect(
            PhoneNumber("+370 612 34567")?.formerTexts == ["+370061234567", "+370861234567"])
    }

    @Test(
        "G-06: the longest matching prefix decides the country",
        arguments: [
            ("+4915112345678", "DE"), ("+14155552671", "US"), ("+14165552671", "CA"),
            ("+18765552671", "JM"), ("+16585552671", "JM"), ("+17875552671", "PR"),
            ("+79161234567", "RU"), ("+77011234567", "KZ"), ("+447700900123", "GB"),
            ("+447911123456", "GG"), ("+441534123456", "JE"), ("+390612345678", "IT"),
            ("+390669812345", "VA"), ("+8613812345678", "CN"), ("+819012345678", "JP"),
            ("+59991234567", "CW"), ("+5993181234", "BQ"), ("+262692123456", "RE"),
            ("+262639123456", "YT"), ("+4779123456", "SJ"), ("+4790123456", "NO"),
            ("+15555550100", "US"),
        ])
    func country(number: String, country: String) {
        #expect(PhoneNumber(number)?.country?.code == country)
    }

    @Test(
        "G-06: satellites, disaster relief and free numbers are of no country",
        arguments: [
            "+870773111111", "+881612345678", "+88213123456", "+88351012345", "+88812345678901",
            "+80012345678", "+18005551234", "+15005550006",
        ])
    func nowhere(number: String) throws {
        #expect(try PhoneNumber.required(number).country == nil)
    }

    @Test("G-06: a country is known by its two letters in any case")
    func countries() {
        #expect(PhoneCountry("de")?.code == "DE")
        #expect(PhoneCountry("US") != nil)
        #expect(PhoneCountry("XX") == nil)
        #expect(PhoneCountry("Germany") == nil)
        #expect(PhoneCountry("--") == nil)
        #expect(PhoneCountry("") == nil)
    }

    @Test("I-05: reading what was read changes nothing, whatever is read")
    func idempotent() {
        var seed: UInt64 = 4_711
        func next(_ bound: Int) -> Int {
            seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((seed >> 33) % UInt64(bound))
        }
        let alphabet = Array("+0123456789 -.()[]x\u{A0}")
        var taken = 0
        for _ in 0..<20_000 {
            let text = "+" + String((0..<next(20)).map { _ in alphabet[next(alphabet.count)] })
            guard let number = PhoneNumber(text) else { continue }
            taken += 1
            #expect(PhoneNumber(number.text) == number)
            #expect(number.text.utf8.dropFirst().allSatisfy { (48...57).contains($0) })
        }
        #expect(taken > 100)
    }
}
