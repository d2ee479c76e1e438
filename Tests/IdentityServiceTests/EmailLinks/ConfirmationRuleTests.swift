import ServiceRuntime
import Testing

@testable import IdentityService

@Suite("G-12: the rule of a verification link")
struct ConfirmationRuleTests {
    @Test("G-12: the link suffices in the account's own session; elsewhere a password decides")
    func table() throws {
        let owner = try #require(AccountID(key: 1))
        let other = try #require(AccountID(key: 2))
        let cases: [(AccountID?, Bool, ConfirmationRule)] = [
            (owner, false, .byLink), (owner, true, .byLink),
            (nil, false, .passwordMissing), (nil, true, .byPassword),
            (other, false, .passwordMissing), (other, true, .byPassword),
        ]
        for (callersAccount, hasPassword, rule) in cases {
            #expect(
                ConfirmationRule(
                    owner: owner, callersAccount: callersAccount, hasPassword: hasPassword) == rule)
        }
    }
}
