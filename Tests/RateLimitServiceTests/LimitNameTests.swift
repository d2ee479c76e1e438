import Contracts
import Testing

@testable import RateLimitService

@Suite("R-03: the limits are a fixed table")
struct LimitNameTests {
    @Test("R-03: each limit has a name and a number of its own, and a rule without a flaw")
    func rows() {
        for limit in LimitName.allCases {
            #expect(limit.definition.limit == limit)
            #expect(LimitName(rawValue: limit.rawValue) == limit)
            #expect(LimitName(number: limit.number) == limit)
            #expect(limit.rule.flaw == nil, "\(limit)")
        }
    }

    @Test("R-06: a number or name that this version does not know is not a limit")
    func unknown() {
        for number: UInt16 in [0, 100, .max] { #expect(LimitName(number: number) == nil) }
        for name in ["", "known-devicf", "known-device-", String(repeating: "a", count: 100)] {
            #expect(LimitName(rawValue: name) == nil)
        }
    }
}
