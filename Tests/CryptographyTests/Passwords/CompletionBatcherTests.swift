import Testing

@testable import Cryptography

@Suite("When results of password hashes are delivered")
struct CompletionBatcherTests {
    private var handover = CompletionBatcher<Int>()

    @Test("with few waiting callers each result is delivered at once")
    mutating func few() {
        for waiting in 0..<4 {
            #expect(handover.add(waiting, waiting: waiting, now: .zero) == [waiting])
        }
    }

    @Test(
        "with many, results are delivered in batches of half their number, at most sixteen",
        arguments: [(4, 2), (5, 2), (6, 3), (31, 15), (32, 16), (1_000, 16)])
    mutating func many(waiting: Int, together: Int) {
        for round in 0..<3 {
            for answer in 1..<together {
                #expect(handover.add(answer, waiting: waiting, now: .zero).isEmpty, "\(round)")
            }
            let handedOn = handover.add(together, waiting: waiting, now: .zero)
            #expect(handedOn == Array(1...together))
        }
    }

    @Test("when fewer callers wait than before, the batch is smaller")
    mutating func shrinking() {
        #expect(handover.add(1, waiting: 32, now: .zero).isEmpty)
        #expect(handover.add(2, waiting: 31, now: .zero).isEmpty)
        #expect(handover.add(3, waiting: 7, now: .zero) == [1, 2, 3])
    }

    @Test("after 100 ms a batch is delivered even if it is incomplete")
    mutating func gatheringMax() {
        #expect(handover.add(1, waiting: 50, now: .seconds(5)).isEmpty)
        #expect(handover.add(2, waiting: 50, now: .milliseconds(5_099)).isEmpty)
        #expect(handover.add(3, waiting: 50, now: .milliseconds(5_100)) == [1, 2, 3])
        #expect(handover.add(4, waiting: 50, now: .milliseconds(5_150)).isEmpty)
        #expect(handover.takeAll() == [4])
        #expect(handover.takeAll().isEmpty)
    }
}
