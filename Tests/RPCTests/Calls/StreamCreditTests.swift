import Testing

@testable import RPC

@Suite("The credit that a call's machine and its stream share")
struct StreamCreditTests {
    private let credit = StreamCredit(StreamFlow(incomingWindow: 4, outgoingCredit: 1))

    @Test("issue 3: what one of them moves the other sees")
    func shared() {
        #expect(credit.depart() == .sent)
        #expect(credit.depart() == .noCredit)
        #expect(credit.granted(1))
        #expect(credit.depart() == .sent)
        #expect(credit.flow.outgoingCredit == 0)
    }

    @Test("issue 3: once the call is over nothing moves, whoever still holds it")
    func over() {
        #expect(credit.arrived(isItem: true, isEnd: false) == .sound)
        let before = credit.flow
        credit.end()
        #expect(credit.arrived(isItem: true, isEnd: false) == nil)
        #expect(credit.consumed(1) == 0)
        #expect(!credit.granted(1))
        #expect(credit.depart() == .over)
        #expect(!credit.endOutgoing())
        #expect(credit.flow == before)
    }

    @Test("issue 3: after our last item none goes, and that it was the last is said once")
    func lastItem() {
        #expect(credit.endOutgoing())
        #expect(!credit.endOutgoing())
        #expect(credit.depart() == .over)
        #expect(!credit.granted(1))
    }
}
