import ServiceRuntime
import Testing

@testable import IdentityService

/// The truth tables of `SecondProofDemand` and of how demands are joined.
@Suite("F-03, A-06: what asks for a second proof")
struct SecondProofDemandTests {
    private static let now = Timestamp(milliseconds: 1_000_000_000_000)
    private static let guarding: Duration = .seconds(7 * 86_400)
    private static let all = SecondProofKind.allCases

    private func facts(
        hasFactor: Bool = false, isRequired: Bool = false, changed: Duration? = nil,
        isConfirmed: Bool = false
    ) -> SignInFacts {
        SignInFacts(
            first: .password, hasSecondFactor: hasFactor, isFactorRequired: isRequired,
            numberChange: changed.map {
                NumberChange(
                    toldAt: Self.now - $0, confirmedAt: isConfirmed ? Self.now : nil)
            }, changeGuard: Self.guarding, at: Self.now)
    }

    private func demanded(
        _ facts: SignInFacts, of available: [SecondProofKind] = all,
        by demands: [SecondProofDemand] = SignInGate.standard.demands
    ) -> DemandedProof? {
        DemandedProof(demands, facts) { available }
    }

    @Test("an account without a factor, whose number has not changed, is asked for nothing")
    func nothing() {
        var reads = 0
        let demanded = DemandedProof(SignInGate.standard.demands, facts()) {
            reads += 1
            return Self.all
        }
        #expect(demanded == nil && reads == 0)
    }

    @Test("a factor that is on accepts factors only, and refuses an account that has none to show")
    func enrolled() {
        let factors = Self.all.filter(\.isFactor)
        for available in [Self.all, [.password, .email], []] as [[SecondProofKind]] {
            let demanded = demanded(facts(hasFactor: true), of: available)
            #expect(demanded?.reasons == .enrolled)
            #expect(demanded?.kinds == available.filter(factors.contains))
        }
    }

    @Test("F-03: a policy asks for a factor where there is one, and lets other accounts sign in")
    func policy() {
        let factors = demanded(facts(isRequired: true))
        #expect(factors?.reasons == .policy && factors?.kinds == Self.all.filter(\.isFactor))
        #expect(demanded(facts(isRequired: true), of: [.email, .password]) == nil)
        let both = demanded(facts(hasFactor: true, isRequired: true), of: [.email, .totp])
        #expect(both?.reasons == [.enrolled, .policy] && both?.kinds == [.totp])
    }

    @Test("A-06: a changed number asks for any independent kind, within its guard")
    func numberChanged() {
        let kinds: [SecondProofKind] = [.email, .password]
        #expect(demanded(facts(changed: .zero), of: kinds)?.kinds == kinds)
        #expect(demanded(facts(changed: .zero), of: kinds)?.reasons == .numberChanged)
        let last = Self.guarding - .milliseconds(1)
        #expect(demanded(facts(changed: last), of: kinds)?.kinds == kinds)
        #expect(demanded(facts(changed: Self.guarding), of: kinds) == nil)
        #expect(demanded(facts(changed: .zero, isConfirmed: true), of: kinds) == nil)
    }

    @Test("A-06: a changed number passes where the account has nothing that would do")
    func nothingElse() {
        #expect(demanded(facts(changed: .zero), of: []) == nil)
    }

    @Test("of several demands only what satisfies all would do, in any order")
    func several() {
        let facts = facts(hasFactor: true, changed: .zero)
        let factors = Self.all.filter(\.isFactor)
        for demands in [SignInGate.standard.demands, SignInGate.standard.demands.reversed()] {
            let demanded = demanded(facts, by: Array(demands))
            #expect(demanded?.kinds == factors)
            #expect(demanded?.reasons.contains(.enrolled) == true)
        }
        let other = SecondProofDemand(reason: .enrolled, passesWithout: true) { _ in .independent }
        let joined = demanded(
            self.facts(changed: .zero), of: [.email], by: [.numberChanged, other])
        #expect(joined?.kinds == [.email] && joined?.reasons == [.enrolled, .numberChanged])
    }
}
