import Messages
import Testing

@testable import IdentityService

@Suite("G-23: the states of a parent's consent")
struct ParentalConsentRuleTests {
    private typealias Rule = ParentalConsentRule

    @Test("the whole table: each event in each state")
    func table() {
        let table: [ParentalConsentState: [Rule.Event: Rule.Outcome]] = [
            .needed: [
                .asked: .becomes(.requested), .given: .unchanged, .refused: .unchanged,
                .expired: .ends,
            ],
            .inherited: [
                .asked: .becomes(.requested), .given: .unchanged, .refused: .unchanged,
                .expired: .ends,
            ],
            .requested: [
                .asked: .becomes(.requested), .given: .becomes(.given), .refused: .ends,
                .expired: .ends,
            ],
            .given: [
                .asked: .notAllowed, .given: .unchanged, .refused: .ends, .expired: .unchanged,
            ],
            .refused: [
                .asked: .notAllowed, .given: .unchanged, .refused: .unchanged,
                .expired: .unchanged,
            ],
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
                == [.needed, .requested, .given, .refused, .needed])
    }
}
