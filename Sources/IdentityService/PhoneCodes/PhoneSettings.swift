import PhoneNumbers
import ServiceRuntime

/// What an operator can choose for codes to phones.
package struct PhoneSettings: Sendable {
    /// Where codes are sent.
    let countries: PhoneCountries
    /// How long a code is good (Sources/SECURITY.md, Codes and links: 10 minutes at most).
    let codeLife: Duration
    /// For so long after a number has changed hands a code to it is not enough.
    let changeGuard: Duration
    /// Numbers for tests, which are sent nothing.
    let testNumbers: [TestPhoneNumber]

    /// Settings, for tests and embedding.
    package init(
        countries: [String] = [], testNumbers: [String] = [],
        codeLife: Duration = .seconds(300), changeGuard: Duration = .seconds(7 * 86_400)
    ) {
        self.countries = PhoneCountries(countries) ?? .none
        self.codeLife = codeLife
        self.changeGuard = changeGuard
        self.testNumbers = testNumbers.compactMap { TestPhoneNumber($0) }
    }

    /// Declares every setting and takes its value.
    init(reading settings: inout SettingsReader) {
        let names = settings.strings(
            "phone-countries", default: [], unit: "country",
            reason: "Codes go to numbers of these (DE,FR,US), or \"all\"; none: no phone sign-in.")
        let countries = PhoneCountries(names)
        settings.require(
            countries != nil, ["phone-countries"],
            "it is a list of countries by their two letters, or all by itself")
        self.countries = countries ?? .none
        codeLife = settings.duration(
            "phone-code-life", default: .seconds(300), in: .seconds(60)...(.seconds(600)),
            reason: "A code to a phone works for this long (I-06).")
        changeGuard = settings.duration(
            "phone-change-guard", default: .seconds(7 * 86_400),
            in: .zero...NumberChangeRule.keptFor,
            reason: "So long after a number changed hands, a second proof is asked for (A-06).")
        let tests = settings.strings(
            "phone-test-numbers", default: [], unit: "number",
            reason: "+15555550100=123456 until 2026-12-31: sent nothing; for tests alone.")
        testNumbers = tests.compactMap { TestPhoneNumber($0) }
        settings.require(
            testNumbers.count == tests.count
                && Set(testNumbers.map(\.number)).count == tests.count,
            ["phone-test-numbers"],
            "each is like \"+15555550100=123456 until 2026-12-31\", each number once")
    }
}

/// Where codes are sent.
///
/// Nowhere unless the operator says so. Attack ("SMS pumping"): somebody who is paid a share of what
/// messages to his numbers cost asks for codes to thousands of them, in a country where messages are
/// dear. Limits slow that down; what stops it is not to send where there are no users. Numbers of no
/// country (satellites, premium services) are the dearest, and never sent to.
enum PhoneCountries: Hashable, Sendable {
    /// Signing in by phone is off.
    case none
    case some(Set<PhoneCountry>)
    case all

    /// The list of a setting; nil where a name is no country's.
    init?(_ names: [String]) {
        if names == ["all"] {
            self = .all
            return
        }
        let countries = names.compactMap { PhoneCountry($0) }
        guard countries.count == names.count else { return nil }
        self = countries.isEmpty ? .none : .some(Set(countries))
    }

    /// Why nothing is sent to a number; nil where it may be.
    ///
    ///     setting        number                 answer
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
