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

    private func demanded(
        _ change: NumberChange?, others: [String] = ["password", "google"], after: Duration
    ) -> [String] {
        NumberChangeRule.demanded(
            change, others: others.map(SignInMethod.init(name:)), guardedFor: Self.guarding,
            at: Self.told + after
        ).map(\.name)
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

    @Test("A-06: a code to a changed number is not enough for a week if there is another method")
    func demands() {
        #expect(demanded(change(), after: .zero) == ["password", "google"])
        #expect(
            demanded(change(), after: Self.guarding - .milliseconds(1))
                == ["password", "google"])
        #expect(demanded(change(), after: Self.guarding) == [])
        // The clock was ahead when the change was reported.
        #expect(demanded(change(), after: .seconds(-60)) == ["password", "google"])
    }

    @Test("A-06: a code suffices without a change, after its confirmation, or as the only method")
    func enough() {
        #expect(demanded(nil, after: .zero) == [])
        #expect(demanded(change(confirmed: true), after: .zero) == [])
        #expect(demanded(change(), others: [], after: .zero) == [])
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
        // A device key of a session that a code opened, and a guest without any proof.
        #expect(!isIndependent(["hwk", "user"], at: Self.told))
        #expect(!isIndependent(["anon"], at: before))
    }
}
