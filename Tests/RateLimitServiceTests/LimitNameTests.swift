import Testing

@testable import RateLimitService

@Suite("R-03: the limits")
struct LimitNameTests {
    /// What stands on disk and on the wire, and how much is allowed. Numbers never change.
    private static let table: [(LimitName, name: String, number: UInt16, count: Int, minutes: Int)] =
        [
            (.failedSignInByDevice, "failed-sign-in-by-device", 1, 5, 15),
            (.failedSignInByAddress, "failed-sign-in-by-address", 2, 50, 15),
            (.failedSignInByAccount, "failed-sign-in-by-account", 3, 5, 15),
            (.signUpByAddress, "sign-up-by-address", 4, 3, 60),
            (.signUpOnTakenEmail, "sign-up-on-taken-email", 5, 3, 60),
            (.unaddressedByApplication, "unaddressed-by-application", 6, 60, 1),
        ]

    @Test("R-03: each limit has its name, its number and its rule", arguments: table)
    func fixed(row: (LimitName, name: String, number: UInt16, count: Int, minutes: Int)) {
        let (limit, name, number, count, minutes) = row
        #expect(limit.rawValue == name)
        #expect(limit.number == number)
        #expect(limit.rule == .ring(count: count, window: .seconds(minutes * 60)))
        #expect(LimitName(number: number) == limit)
    }

    @Test("R-03: every limit stands in the table, and no two share a number")
    func complete() {
        #expect(Set(Self.table.map(\.0)) == Set(LimitName.allCases))
        #expect(Set(LimitName.allCases.map(\.number)).count == LimitName.allCases.count)
    }

    @Test("R-03: every rule can be counted by")
    func sound() {
        for limit in LimitName.allCases { #expect(limit.rule.flaw == nil) }
    }

    @Test("R-06: a number that this version does not know is no limit")
    func unknown() {
        for number: UInt16 in [0, 7, .max] { #expect(LimitName(number: number) == nil) }
    }
}
