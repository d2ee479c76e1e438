import ServiceRuntime
import Testing

@testable import IdentityService

/// The tables of `NumberChangeRule`.
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
            change, others: others, guardedFor: Self.guarding, at: Self.told + after)
    }

    @Test("A-06: what is told again within a month is the same change, confirmed or not")
    func toldAgain() {
        let month = NumberChangeRule.keptFor
        #expect(
            NumberChangeRule.told(nil, at: Self.told)
                == NumberChange(toldAt: Self.told, confirmedAt: nil))
        for kept in [change(), change(confirmed: true)] {
            #expect(NumberChangeRule.told(kept, at: Self.told) == nil)
            let last = Self.told + month - .milliseconds(1)
            #expect(NumberChangeRule.told(kept, at: last) == nil)
            #expect(
                NumberChangeRule.told(kept, at: Self.told + month)
                    == NumberChange(toldAt: Self.told + month, confirmedAt: nil))
        }
    }

    @Test("A-06: a changed number is not enough for a week, where there is another way in")
    func demands() {
        #expect(demanded(change(), after: .zero) == ["password", "google"])
        #expect(
            demanded(change(), after: Self.guarding - .milliseconds(1))
                == ["password", "google"])
        #expect(demanded(change(), after: Self.guarding) == [])
        // A clock that was ahead when it was told.
        #expect(demanded(change(), after: .seconds(-60)) == ["password", "google"])
    }

    @Test("A-06: without a change, with a confirmed one, or with no other way a code will do")
    func enough() {
        #expect(demanded(nil, after: .zero) == [])
        #expect(demanded(change(confirmed: true), after: .zero) == [])
        #expect(demanded(change(), others: [], after: .zero) == [])
    }

    @Test("A-06: what whoever has the number now could have shown confirms nothing")
    func independence() {
        let before = Self.told - .milliseconds(1)
        func isIndependent(_ methods: [String], at moment: Timestamp) -> Bool {
            NumberChangeRule.isIndependent(methods, provedAt: moment, of: change())
        }
        #expect(!isIndependent(["sms", "otp"], at: Self.told))
        #expect(isIndependent(["sms", "otp"], at: before))
        #expect(isIndependent(["pwd"], at: Self.told))
        #expect(isIndependent(["fed"], at: Self.told))
        // A key of a session that a code opened, and a guest who proved nothing.
        #expect(!isIndependent(["hwk", "user"], at: Self.told))
        #expect(!isIndependent(["anon"], at: before))
    }
}
