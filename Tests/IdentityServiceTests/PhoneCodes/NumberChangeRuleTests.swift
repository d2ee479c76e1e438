import Contracts
import ServiceRuntime
import Testing

@testable import IdentityService

/// The truth tables of `NumberChangeRule`.
struct NumberChangeRuleTests {
    private static let told = Timestamp(milliseconds: 1_000_000_000_000)
    private static let guarding: Duration = .seconds(7 * 86_400)

    private func change(confirmed: Bool = false) -> NumberChange {
        NumberChange(toldAt: Self.told, confirmedAt: confirmed ? Self.told : nil)
    }

    private func isGuarded(_ change: NumberChange?, after: Duration) -> Bool {
        NumberChangeRule.isGuarded(
            change, for: Self.guarding, at: Self.told + after)
    }

    @Test("A-06: a report repeated within a month is the same change, confirmed or not")
    func toldAgain() {
        let month = NumberChangeRule.retention
        #expect(
            NumberChangeRule.afterReport(nil, at: Self.told)
                == NumberChange(toldAt: Self.told, confirmedAt: nil))
        for kept in [change(), change(confirmed: true)] {
            #expect(NumberChangeRule.afterReport(kept, at: Self.told) == nil)
            let last = Self.told + month - .milliseconds(1)
            #expect(NumberChangeRule.afterReport(kept, at: last) == nil)
            #expect(
                NumberChangeRule.afterReport(kept, at: Self.told + month)
                    == NumberChange(toldAt: Self.told + month, confirmedAt: nil))
        }
    }

    @Test("A-06: a changed number is guarded for a week")
    func guards() {
        #expect(isGuarded(change(), after: .zero))
        #expect(isGuarded(change(), after: Self.guarding - .milliseconds(1)))
        #expect(!isGuarded(change(), after: Self.guarding))
        // The clock was ahead when the change was reported.
        #expect(isGuarded(change(), after: .seconds(-60)))
    }

    @Test("A-06: a number is not guarded without a change, or after its confirmation")
    func enough() {
        #expect(!isGuarded(nil, after: .zero))
        #expect(!isGuarded(change(confirmed: true), after: .zero))
    }

    @Test("A-06: a proof that the number's new holder could give confirms nothing")
    func independence() {
        let before = Self.told - .milliseconds(1)
        func isIndependent(_ amr: [String], at moment: Timestamp) -> Bool {
            NumberChangeRule.isIndependent(amr, provedAt: moment, of: change())
        }
        #expect(!isIndependent(["sms", "otp"], at: Self.told))
        #expect(isIndependent(["sms", "otp"], at: before))
        #expect(isIndependent(["pwd"], at: Self.told))
        #expect(isIndependent(["fed"], at: Self.told))
        #expect(isIndependent(["sms", "otp", "totp", "mfa"], at: Self.told))
        // A device key of a session that a code opened, and a guest without any proof.
        #expect(!isIndependent(["hwk", "user"], at: Self.told))
        #expect(!isIndependent(["anon"], at: before))
    }
}
