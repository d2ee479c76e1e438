import Testing

@testable import RPC

@Suite("The stream credit that a call's machine and its stream share")
struct StreamCreditTests {
    private let credit = StreamCredit(StreamFlow(incomingWindow: 4, outgoingCredit: 1))

    @Test("Protos/README.md, Streams: the machine and the stream share one count of credit")
    func shared() {
        #expect(credit.depart() == .sent)
        #expect(credit.depart() == .noCredit)
        #expect(credit.granted(1))
        #expect(credit.depart() == .sent)
        #expect(credit.flow.outgoingCredit == 0)
    }

    @Test("Protos/README.md, Streams: after the call has ended its credit no longer changes")
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

    @Test(
        "Protos/README.md, Streams: after our last item nothing is sent, and its end is sent once")
    func lastItem() {
        #expect(credit.endOutgoing())
        #expect(!credit.endOutgoing())
        #expect(credit.depart() == .over)
        #expect(!credit.granted(1))
    }
}
