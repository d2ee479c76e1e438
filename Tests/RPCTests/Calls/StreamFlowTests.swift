import Testing

@testable import RPC

@Suite("The credit of a stream, step by step")
struct StreamFlowTests {
    @Test(
        "Protos/README.md, Streams: a peer may send exactly as many items as were granted",
        arguments: [1, 2, 5])
    func window(window: UInt32) {
        var flow = StreamFlow(incomingWindow: window, outgoingCredit: nil)
        for _ in 0..<window { #expect(flow.arrived(isItem: true, isEnd: false) == .sound) }
        #expect(flow.arrived(isItem: true, isEnd: false) == .overCredit)
    }

    @Test("the end of a stream needs no credit, and no item may follow it")
    func end() {
        var flow = StreamFlow(incomingWindow: 1, outgoingCredit: nil)
        #expect(flow.arrived(isItem: true, isEnd: false) == .sound)
        #expect(flow.arrived(isItem: false, isEnd: true) == .sound)
        #expect(flow.arrived(isItem: false, isEnd: true) == .afterEnd)
        #expect(flow.consumed(1) == 0)
    }

    @Test(
        "consumed items are granted again in batches of half a window",
        arguments: [(UInt32(1), UInt32(1)), (2, 1), (3, 1), (8, 4), (128, 64)])
    func grants(window: UInt32, half: UInt32) {
        var flow = StreamFlow(incomingWindow: window, outgoingCredit: nil)
        for _ in 0..<window { _ = flow.arrived(isItem: true, isEnd: false) }
        for _ in 1..<max(half, 1) { #expect(flow.consumed(1) == 0) }
        #expect(flow.consumed(1) == half)
        #expect(flow.incomingCredit == half)
    }

    @Test("a call without streams accepts no items and sends none")
    func none() {
        var flow = StreamFlow.none
        #expect(flow.arrived(isItem: true, isEnd: false) == .afterEnd)
        #expect(flow.arrived(isItem: false, isEnd: true) == .afterEnd)
        flow.granted(5)
        #expect(flow.depart() == false)
        #expect(flow.endOutgoing() == false)
    }

    @Test("items are sent within the peer's credit, and a huge grant does not overflow")
    func sending() {
        var flow = StreamFlow(incomingWindow: nil, outgoingCredit: 1)
        #expect(flow.depart() == true)
        #expect(flow.depart() == false)
        flow.granted(.max)
        flow.granted(.max)
        #expect(flow.outgoingCredit == .max)
        #expect(flow.depart() == true)
        #expect(flow.endOutgoing() == true)
        #expect(flow.endOutgoing() == false)
        #expect(flow.depart() == false)
    }
}
