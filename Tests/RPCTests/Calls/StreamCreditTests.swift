import Testing

@testable import RPC

@Suite("The credit that a call's machine and its stream share")
struct StreamCreditTests {
    private let credit = StreamCredit(StreamFlow(incomingWindow: 4, outgoingCredit: 1))

    @Test("Protos/README.md, Streams: what one of them moves the other sees")
    func shared() {
        #expect(credit.depart() == .sent)
        #expect(credit.depart() == .noCredit)
        #expect(credit.granted(1))
        #expect(credit.depart() == .sent)
        #expect(credit.flow.outgoingCredit == 0)
    }

    @Test("Protos/README.md, Streams: once the call is over nothing moves, whoever still holds it")
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

    @Test("Protos/README.md, Streams: after our last item none goes, and its end goes once")
    func lastItem() {
        #expect(credit.endOutgoing())
        #expect(!credit.endOutgoing())
        #expect(credit.depart() == .over)
        #expect(!credit.granted(1))
    }
}
