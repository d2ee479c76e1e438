import ServiceRuntime
import Testing

@testable import AccountLife

@Suite("What happens to an imported record")
struct ImportRuleTests {
    @Test("X-04: every case: a record imported before stays, an owned one is refused, none merges")
    func table() throws {
        let account = try #require(AccountID(key: 1))
        for bits in 0..<16 {
            func some(_ bit: Int) -> AccountID? { bits & (1 << bit) != 0 ? account : nil }
            let found = ImportRule.Found(
                byExternalID: some(0), byAddress: some(1), byIdentity: some(2), byPhone: some(3))
            let expected: ImportRule.Decision =
                if bits & 1 != 0 {
                    .leave(account)
                } else if bits & 2 != 0 {
                    .refuse(ImportRule.Refusal(code: .emailAlreadyInUse, field: "email"))
                } else if bits & 4 != 0 {
                    .refuse(ImportRule.Refusal(code: .credentialAlreadyInUse, field: "identities"))
                } else if bits & 8 != 0 {
                    .refuse(
                        ImportRule.Refusal(code: .credentialAlreadyInUse, field: "phone_number"))
                } else {
                    .create
                }
            #expect(ImportRule.decide(found) == expected, "\(bits)")
        }
    }
}
