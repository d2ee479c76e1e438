import ServiceRuntime
import TestSupport
import Testing

@testable import IdentityService

@Suite("G-23: the least age")
struct AgeRuleTests {
    private func date(_ text: String) throws -> CalendarDate {
        try #require(CalendarDate(text: text))
    }

    @Test(
        "an age is in completed years; born on February 29, a year ends on March 1",
        arguments: [
            ("2013-01-01", "2026-01-01", 13), ("2013-01-02", "2026-01-01", 12),
            ("2012-12-31", "2026-01-01", 13), ("2013-12-31", "2026-12-30", 12),
            ("2012-02-29", "2025-02-28", 12), ("2012-02-29", "2025-03-01", 13),
            ("2012-02-29", "2028-02-28", 15), ("2012-02-29", "2028-02-29", 16),
            ("1912-02-29", "2026-01-01", 113), ("2026-01-01", "2026-01-01", 0),
            ("1876-01-01", "2026-01-01", 150),
        ])
    func age(born: String, today: String, years: Int) throws {
        #expect(try date(born).age(on: date(today)) == years)
    }

    @Test("no age has who was not born yet, or more than 150 years ago")
    func impossible() throws {
        let today = try date("2026-01-01")
        #expect(try date("2026-01-02").age(on: today) == nil)
        #expect(try date("1874-12-31").age(on: today) == nil)
        #expect(try date("9999-12-31").age(on: today) == nil)
    }

    @Test("the date is that of UTC, whatever the time zone of the person")
    func timeZones() throws {
        let midnight = try #require(Timestamp(date: "2026-05-10"))
        #expect(try CalendarDate(of: midnight) == date("2026-05-10"))
        #expect(try CalendarDate(of: midnight - .milliseconds(1)) == date("2026-05-09"))
        #expect(CalendarDate(of: Timestamp(milliseconds: .max)) == nil)
    }

    @Test("the table of outcomes")
    func table() throws {
        let today = try date("2026-01-01")
        func outcome(
            _ settings: AgeSettings, _ birthDate: String, _ wasYounger: Bool = false
        ) throws -> AgeRule.Outcome {
            try AgeRule.outcome(settings, birthDate: birthDate, wasYounger: wasYounger, on: today)
        }
        for parental in AgeSettings.ParentalConsentMode.allCases {
            let required = AgeSettings(gate: .required, parentalConsent: parental)
            let younger: AgeRule.Outcome = parental == .allowed ? .parentNeeded : .underage
            for wasYounger in [true, false] {
                #expect(throws: ServiceError.birthDateRequired) {
                    try outcome(required, "", wasYounger)
                }
                for wrong in ["x", "2027-01-01", "1800-01-01"] {
                    let error = #expect(throws: ServiceError.self) {
                        try outcome(required, wrong, wasYounger)
                    }
                    #expect(error?.code == .invalidArgument)
                    #expect(error?.fields == ["acceptance.birth_date"])
                }
                #expect(try outcome(required, "2013-01-02", wasYounger) == younger)
            }
            #expect(try outcome(required, "2013-01-01") == .ok)
            #expect(try outcome(required, "2013-01-01", true) == younger)
        }
        let sixteen = AgeSettings(gate: .required, minimum: 16)
        #expect(try outcome(sixteen, "2010-01-01") == .ok)
        #expect(try outcome(sixteen, "2010-01-02") == .underage)
    }

    @Test("the settings are off by default, and parental consent needs the gate")
    func settings() throws {
        func read(_ flags: [String]) throws -> AgeSettings {
            let settings: IdentitySettings = try SettingsLoader.settings(flags)
            return settings.consent.age
        }
        let standard = try read([])
        #expect(standard.gate == .off && standard.minimum == 13)
        #expect(standard.birthDate == .check && standard.parentalConsent == .off)
        let strict = try read([
            "--age-gate=required", "--age-minimum=16", "--birth-date=keep",
            "--parental-consent=allowed",
        ])
        #expect(strict.gate == .required && strict.minimum == 16)
        #expect(strict.birthDate == .keep && strict.parentalConsent == .allowed)
        for flags in [
            ["--parental-consent=allowed"], ["--birth-date=keep"],
            ["--age-gate=required", "--age-minimum=0"],
        ] {
            #expect(throws: (any Error).self, "\(flags)") { try read(flags) }
        }
    }
}
