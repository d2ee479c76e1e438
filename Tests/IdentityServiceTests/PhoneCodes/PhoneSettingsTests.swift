import Addresses
import ServiceRuntime
import TestSupport
import Testing

@testable import IdentityService

/// The operator's settings for phone codes.
struct PhoneSettingsTests {
    private func refusal(_ countries: [String], _ number: String) throws -> ErrorCode? {
        let rule = try #require(PhoneSettings.Countries(countries))
        return rule.refusal(of: try #require(PhoneNumber(number)))
    }

    @Test("G-06: no code is sent until the operator names countries")
    func none() throws {
        #expect(try refusal([], "+4915112345678") == .operationNotAllowed)
    }

    @Test("G-06: codes go only to the named countries")
    func some() throws {
        #expect(try refusal(["DE", "us"], "+4915112345678") == nil)
        #expect(try refusal(["DE", "us"], "+14155552671") == nil)
        #expect(try refusal(["DE", "us"], "+33612345678") == .phoneCountryNotAllowed)
        // Jamaica shares the country code +1 with the United States, at twenty times the price.
        #expect(try refusal(["DE", "us"], "+18765552671") == .phoneCountryNotAllowed)
    }

    @Test("G-06: `all` allows every country, but no satellite or premium services")
    func all() throws {
        #expect(try refusal(["all"], "+33612345678") == nil)
        #expect(try refusal(["all"], "+881612345678") == .phoneCountryNotAllowed)
    }

    @Test(
        "G-06: an invalid list of countries is refused",
        arguments: [
            ["XX"], ["DE", "Germany"], ["all", "DE"], ["+49"],
        ])
    func problems(names: [String]) {
        #expect(PhoneSettings.Countries(names) == nil)
    }

    @Test("G-06: the names that are no country are shown, and the others are not")
    func named() {
        let refused = #expect(throws: SettingsRefused.self) {
            try load(["--phone-countries", "DE,XX,Germany"])
        }
        #expect(refused?.text.contains("alone; not country codes: \"XX\", \"Germany\"") == true)
        #expect(PhoneSettings.Countries.unknown(in: ["all", "DE"]).isEmpty)
    }

    @Test("G-06: a test number is valid through its last day, in UTC")
    func testNumber() throws {
        let test = try #require(TestPhoneNumber("+15555550100=123456 until 2026-12-31"))
        #expect(test.number.text == "+15555550100")
        #expect(test.code.digits == "123456")
        #expect(test.endsAt.text == "2027-01-01T00:00:00.000Z")
        #expect(
            TestPhoneNumber("+15555550100=123456 until 2028-02-29")?.endsAt.text
                == "2028-03-01T00:00:00.000Z")
    }

    @Test(
        "G-06: a test number without a valid number, code and end date is refused",
        arguments: [
            "+15555550100=123456", "+15555550100=12345 until 2026-12-31",
            "+15555550100 until 2026-12-31", "15555550100=123456 until 2026-12-31",
            "+15555550100=123456 until 2026-02-30", "+15555550100=123456 until 2027-02-29",
            "+15555550100=123456 until 2026-13-01", "+15555550100=123456 until 2026-00-10",
            "+15555550100=123456 until 26-12-31", "+15555550100=123456 until never",
            "+15555550100=123456=1 until 2026-12-31", "+15555550100=123456 until 2026-12-31 x",
            "",
        ])
    func invalidTestNumbers(text: String) {
        #expect(TestPhoneNumber(text) == nil)
    }

    private func load(_ flags: [String]) throws -> PhoneSettings {
        let settings: IdentitySettings = try SettingsLoader.settings(flags)
        return settings.phone
    }

    @Test("G-06: by default phone sign-in and test numbers are off")
    func defaults() throws {
        let phone = try load([])
        #expect(phone.countries == .none)
        #expect(phone.testNumbers.isEmpty)
        #expect(phone.codeLife == .seconds(300))
        #expect(phone.changeGuard == .seconds(7 * 86_400))
    }

    @Test("G-06: settings are parsed, and invalid ones are refused")
    func reading() throws {
        let test = "+15555550100=123456 until 2026-12-31"
        let phone = try load([
            "--phone-countries", "DE,FR", "--phone-test-numbers", test, "--phone-code-life", "10m",
        ])
        #expect(phone.countries == PhoneSettings.Countries(["FR", "DE"]))
        #expect(phone.testNumbers == [try #require(TestPhoneNumber(test))])
        #expect(phone.codeLife == .seconds(600))
        for (name, value) in [
            ("countries", "XX"), ("test-numbers", "\(test),\(test)"),
            ("test-numbers", "+15555550100=123456"), ("code-life", "11m"),
        ] {
            #expect(throws: SettingsRefused.self) { try load(["--phone-\(name)", value]) }
        }
    }
}
