import Addresses
import ServiceRuntime

/// The operator's settings for phone codes.
package struct PhoneSettings: Sendable {
    /// The countries to which codes are sent.
    var countries = Countries.none
    /// Lifetime of a code (Sources/SECURITY.md, Codes and links: 10 minutes at most).
    var codeLife: Duration = .seconds(300)
    /// The period after a reported change of a number in which a code to it is not sufficient
    ///
    var changeGuard: Duration = .seconds(7 * 86_400)
    /// Test numbers, which get no messages.
    var testNumbers: [TestPhoneNumber] = []

    /// Settings for tests and embedding. Invalid countries disable phone sign-in; invalid test
    /// numbers are ignored.
    package init(countries: [String] = [], testNumbers: [String] = []) {
        self.countries = Countries(countries) ?? .none
        self.testNumbers = testNumbers.compactMap { TestPhoneNumber($0) }
    }

    /// Declares every setting and reads its value.
    init(reading settings: inout SettingsReader) {
        var names: [String] = []
        settings.strings(
            "phone-countries", &names, unit: "country",
            reason: "Codes go to these countries (DE,FR,US), or \"all\"; none: no phone sign-in.")
        let countries = Countries(names)
        settings.require(
            countries != nil, ["phone-countries"],
            "it is a list of two-letter country codes, or \"all\" alone"
                + Countries.unknown(in: names))
        self.countries = countries ?? .none
        settings.duration(
            "phone-code-life", &codeLife, in: .seconds(60)...(.seconds(600)),
            reason: "Lifetime of a code to a phone (I-06).")
        settings.duration(
            "phone-change-guard", &changeGuard, in: .zero...NumberChangeRule.retention,
            reason: "How long after a number changed a second proof is required, and no notice is "
                + "texted to it (A-06).")
        var tests: [String] = []
        settings.strings(
            "phone-test-numbers", &tests, unit: "number",
            reason: "For tests; no message is sent: +15555550100=123456 until 2026-12-31.")
        testNumbers = tests.compactMap { TestPhoneNumber($0) }
        settings.require(
            testNumbers.count == tests.count
                && Set(testNumbers.map(\.number)).count == tests.count,
            ["phone-test-numbers"],
            "each is like \"+15555550100=123456 until 2026-12-31\", each number once")
    }
}

extension PhoneSettings {
    /// The countries to which codes are sent.
    ///
    /// None unless the operator configures some. Attack ("SMS pumping"): somebody with a revenue
    /// share on messages to certain numbers requests codes to thousands of them, in a country where
    /// messages are expensive. Rate limits slow this down; not sending to countries without users
    /// stops it. Numbers that belong to no country (satellite, premium services) are the most
    /// expensive and always rejected.
    enum Countries: Hashable, Sendable {
        /// Phone sign-in is disabled.
        case none
        case some(Set<PhoneCountry>)
        case all

        /// Parses the setting; nil when a name is not a country.
        init?(_ names: [String]) {
            if names == ["all"] {
                self = .all
                return
            }
            let countries = names.compactMap { PhoneCountry($0) }
            guard countries.count == names.count else { return nil }
            self = countries.isEmpty ? .none : .some(Set(countries))
        }

        /// The end of a sentence about these names: `; not country codes: "XX", "Germany"`. Empty if
        /// each is a country.
        static func unknown(in names: [String]) -> String {
            let others = names.filter { $0 != "all" && PhoneCountry($0) == nil }
            // Escaped: they are shown on a terminal.
            let shown = others.map(\.debugDescription).joined(separator: ", ")
            return others.isEmpty ? "" : "; not country codes: \(shown)"
        }

        /// The error code when nothing may be sent to a number; nil when it may.
        ///
        ///     setting        number                 result
        ///     none           any                    auth/operation-not-allowed
        ///     some or all    of no country          auth/phone-country-not-allowed
        ///     some           of another country     auth/phone-country-not-allowed
        ///     some           of one of them         –
        ///     all            of a country           –
        func refusal(of number: PhoneNumber) -> ErrorCode? {
            switch (self, number.country) {
            case (.none, _): .operationNotAllowed
            case (_, nil): .phoneCountryNotAllowed
            case (.some(let countries), let country?):
                countries.contains(country) ? nil : .phoneCountryNotAllowed
            case (.all, _): nil
            }
        }
    }
}

/// A test number of the operator with a fixed code, for app store reviewers and for tests without a
/// phone. It gets no messages. It is rejected after its last day, so that a forgotten entry does
/// not give access forever.
///
/// Written as `+15555550100=123456 until 2026-12-31`. The day is in UTC and included.
struct TestPhoneNumber: Hashable, Sendable {
    let number: PhoneNumber
    let code: PhoneCode
    /// The number is rejected from this time on.
    let endsAt: Timestamp

    /// Parses an entry; nil when it is malformed.
    init?(_ text: String) {
        let words = text.split(separator: " ")
        guard words.count == 3, words[1] == "until", let lastDay = Timestamp(date: words[2]) else {
            return nil
        }
        let pair = words[0].split(separator: "=", omittingEmptySubsequences: false)
        guard pair.count == 2, let number = PhoneNumber(String(pair[0])),
            let code = PhoneCode(typed: String(pair[1]))
        else { return nil }
        self.number = number
        self.code = code
        endsAt = lastDay + .seconds(86_400)
    }
}

extension PhoneSettings {
    /// The error code when nothing may be sent to a number; nil when it may.
    func refusal(of number: PhoneNumber) -> ErrorCode? { countries.refusal(of: number) }

    /// The operator's entry for a number; nil for none.
    func test(_ number: PhoneNumber) -> TestPhoneNumber? {
        testNumbers.first { $0.number == number }
    }
}
