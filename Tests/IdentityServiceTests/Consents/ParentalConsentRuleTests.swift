import Messages
import Testing

@testable import IdentityService

@Suite("G-23: the states of a parent's consent")
struct ParentalConsentRuleTests {
    private typealias Rule = ParentalConsentRule

    @Test("the whole table: each event in each state")
    func table() {
        let waiting: [Rule.Event: Rule.Outcome] = [
            .asked: .becomes(.requested), .given: .unchanged, .refused: .unchanged,
            .expired: .ends, .kept: .unchanged, .ofAge: .free,
        ]
        let ended: [Rule.Event: Rule.Outcome] = [
            .asked: .notAllowed, .given: .unchanged, .refused: .unchanged, .expired: .unchanged,
            .kept: .unchanged, .ofAge: .unchanged,
        ]
        func changed(
            _ row: [Rule.Event: Rule.Outcome], _ changes: [Rule.Event: Rule.Outcome]
        ) -> [Rule.Event: Rule.Outcome] { row.merging(changes) { $1 } }
        let table: [ParentalConsentState: [Rule.Event: Rule.Outcome]] = [
            .needed: waiting, .inherited: waiting,
            .requested: changed(waiting, [.given: .becomes(.given), .refused: .ends]),
            .given: changed(waiting, [.refused: .becomes(.withdrawn), .expired: .unchanged]),
            .withdrawn: changed(ended, [.kept: .becomes(.needed)]),
            .refused: ended,
        ]
        for state in ParentalConsentState.allCases {
            for event in Rule.Event.allCases {
                #expect(Rule.outcome(state, event) == table[state]?[event], "\(state) \(event)")
            }
        }
    }

    @Test("no event leads out of a refusal, and only an answer leads out of asking")
    func ends() {
        for event in Rule.Event.allCases {
            let after = Rule.outcome(.refused, event)
            #expect(after == .unchanged || after == .notAllowed)
        }
    }

    @Test("an account lacks consent in every state but given; one without a state needs none")
    func lacking() {
        let none: ParentalConsentState? = nil
        #expect(!none.isLacking && none.message == .notNeeded)
        for state in ParentalConsentState.allCases {
            #expect(ParentalConsentState?(state).isLacking == (state != .given))
        }
        #expect(
            ParentalConsentState.allCases.map { ParentalConsentState?($0).message }
                == [.needed, .requested, .given, .refused, .needed, .refused])
    }
}
