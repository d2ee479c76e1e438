import Testing

@testable import RPC

@Suite("An admission queue in front of a full lane, with manual time")
struct AdmissionQueueTests {
    private static let start = Duration.seconds(1_000)
    private static let far = start + .seconds(3_600)

    private func queue(_ callsMax: Int = 100, bytesMax: Int = 1_000) -> AdmissionQueue<Int> {
        AdmissionQueue(callsMax: callsMax, bytesMax: bytesMax)
    }

    private func at(_ milliseconds: Int) -> Duration { Self.start + .milliseconds(milliseconds) }

    /// A queue in overload: calls 1 … count arrive at once, and one more 100 ms later.
    private func standing(_ count: Int, callsMax: Int = 100) -> AdmissionQueue<Int> {
        var queue = queue(callsMax)
        for call in 1...count { _ = queue.arrive(call, bytes: 1, deadline: Self.far, at: at(0)) }
        _ = queue.arrive(count + 1, bytes: 1, deadline: Self.far, at: at(100))
        return queue
    }

    @Test("calls are served first in, first out while the queue is not overloaded")
    func order() {
        var queue = queue()
        for call in 1...5 { _ = queue.arrive(call, bytes: 1, deadline: Self.far, at: at(call)) }
        let served = (1...5).compactMap { queue.next(at: at(5 + $0))?.ticket }
        #expect(served == [1, 2, 3, 4, 5])
        #expect(queue.next(at: at(20)) == nil)
    }

    @Test("Protos/README.md, Call: above the queue's limit a call is rejected with retry_after")
    func full() {
        var queue = queue(2)
        for call in 1...2 { _ = queue.arrive(call, bytes: 1, deadline: Self.far, at: at(0)) }
        guard
            case .refused(let shed) = queue.arrive(3, bytes: 1, deadline: Self.far, at: at(1))
        else {
            Issue.record("it waits")
            return
        }
        #expect(shed.reason == .full)
        #expect(shed.retryAfter == .milliseconds(100))
        #expect(queue.count == 2)
    }

    @Test("a queue of size 0 rejects every call, even while it is empty")
    func none() {
        var queue = queue(0)
        guard case .refused = queue.arrive(1, bytes: 1, deadline: Self.far, at: at(0)) else {
            Issue.record("it waits")
            return
        }
    }

    @Test(
        "the bytes of all waiting requests together are limited, exact to the byte",
        arguments: [(10, true), (11, false), (Int.max, false)])
    func bytes(count: Int, waits: Bool) {
        var queue = queue(bytesMax: 1_000)
        _ = queue.arrive(1, bytes: 990, deadline: Self.far, at: at(0))
        if case .waits = queue.arrive(2, bytes: count, deadline: Self.far, at: at(0)) {
            #expect(waits)
        } else {
            #expect(!waits)
        }
    }

    @Test("a call's bytes are released whether it is served or removed")
    func bytesFree() {
        var queue = queue(bytesMax: 10)
        for round in 0..<100 {
            guard
                case .waits(let place) = queue.arrive(
                    round, bytes: 10, deadline: Self.far, at: at(round))
            else {
                Issue.record("no capacity in round \(round)")
                return
            }
            if round.isMultiple(of: 2) {
                #expect(queue.remove(place) == true)
            } else {
                #expect(queue.next(at: at(round))?.ticket == round)
            }
        }
    }

    @Test("retry_after grows with the time for which the queue has not drained")
    func retryAfter() {
        #expect(retryAfter(standingStill: 10) == .milliseconds(100))
        #expect(retryAfter(standingStill: 100) == .milliseconds(200))
        #expect(retryAfter(standingStill: 1_000) == .seconds(2))
        #expect(retryAfter(standingStill: 2_000) == .seconds(4))
    }

    @Test("retry_after is at most 10 s")
    func retryAfterBound() {
        #expect(retryAfter(standingStill: 5_001) == .seconds(10))
        #expect(retryAfter(standingStill: 60_000) == .seconds(10))
    }

    /// The `retryAfter` of a call that does not fit, after one call arrived every 10 ms and none
    /// was served.
    private func retryAfter(standingStill milliseconds: Int) -> Duration? {
        var queue = queue()
        for call in stride(from: 0, to: milliseconds, by: 10) {
            _ = queue.arrive(call, bytes: 1, deadline: Self.far, at: at(call))
        }
        guard
            case .refused(let shed) = queue.arrive(
                -1, bytes: 2_000, deadline: Self.far, at: at(milliseconds))
        else { return nil }
        return shed.retryAfter
    }

    @Test("a call whose deadline would pass before it is served is rejected at once")
    func deadline() {
        var queue = queue()
        // One call is served every 20 ms, so a call behind ten others waits some 200 ms.
        for call in 1...12 { _ = queue.arrive(call, bytes: 1, deadline: Self.far, at: at(0)) }
        for round in 1...2 { _ = queue.next(at: at(round * 20)) }
        let late = queue.arrive(13, bytes: 1, deadline: at(40 + 200), at: at(40))
        guard case .refused(let shed) = late else {
            Issue.record("it waits")
            return
        }
        #expect(shed.reason == .deadline)
        guard case .waits = queue.arrive(14, bytes: 1, deadline: at(40 + 240), at: at(40)) else {
            Issue.record("refused with time enough")
            return
        }
    }

    @Test("an overloaded queue serves the newest call first")
    func newestFirst() {
        var queue = standing(3)
        #expect(queue.isOverloaded)
        let served = (0..<4).compactMap { _ in queue.next(at: at(101))?.ticket }
        #expect(served == [4, 3, 2, 1])
    }

    @Test("a burst that is served within 100 ms is not overload")
    func burst() {
        var queue = queue()
        for call in 1...90 { _ = queue.arrive(call, bytes: 1, deadline: Self.far, at: at(0)) }
        let served = (1...90).compactMap { queue.next(at: at($0))?.ticket }
        #expect(served == Array(1...90))
        _ = queue.arrive(91, bytes: 1, deadline: Self.far, at: at(101))
        #expect(!queue.isOverloaded)
    }

    @Test("in overload a call that has waited over 500 ms is shed, exact to the millisecond")
    func late() {
        var queue = standing(3)
        _ = queue.arrive(5, bytes: 1, deadline: Self.far, at: at(500))
        #expect(queue.takeShed().count == 0)
        _ = queue.arrive(6, bytes: 1, deadline: Self.far, at: at(501))
        let shed = queue.takeShed()
        #expect(shed.map(\.ticket) == [1, 2, 3])
        #expect(shed.allSatisfy { $0.shed.reason == .late })
        #expect(queue.takeShed().count == 0)
    }

    @Test("in a full overloaded queue a new call displaces the oldest")
    func pushesOut() {
        var queue = standing(2, callsMax: 3)
        guard case .waits = queue.arrive(4, bytes: 1, deadline: Self.far, at: at(110)) else {
            Issue.record("the newest is refused")
            return
        }
        let shed = queue.takeShed().map(\.ticket)
        #expect(shed == [1])
        #expect(queue.next(at: at(111))?.ticket == 4)
    }

    @Test("once the queue is empty it serves first in, first out again")
    func recovers() {
        var queue = standing(3)
        while queue.next(at: at(110)) != nil {}
        for call in 1...3 {
            _ = queue.arrive(call, bytes: 1, deadline: Self.far, at: at(300 + call))
        }
        #expect(!queue.isOverloaded)
        #expect(queue.next(at: at(310))?.ticket == 1)
    }

    @Test("removing a call works once, and its place is not reused for another call")
    func removed() {
        var queue = queue()
        guard case .waits(let first) = queue.arrive(1, bytes: 1, deadline: Self.far, at: at(0))
        else { return }
        #expect(queue.remove(first) == true)
        _ = queue.arrive(2, bytes: 1, deadline: Self.far, at: at(0))
        #expect(queue.remove(first) == false)
        #expect(queue.next(at: at(1))?.ticket == 2)
    }

    @Test("at twice the capacity for a minute, half of the calls are served, each within 10 ms")
    func goodput() {
        var queue = queue()
        var waits: [Duration] = []
        // Every 10 ms two calls arrive and one ends.
        for tick in 0..<6_000 {
            for call in 0...1 {
                _ = queue.arrive(tick * 2 + call, bytes: 1, deadline: Self.far, at: at(tick * 10))
            }
            if let next = queue.next(at: at(tick * 10 + 5)) { waits.append(next.wait) }
            #expect(queue.count <= 100)
            _ = queue.takeShed()
        }
        #expect(waits.count == 6_000)
        // During the first 100 ms the queue is not yet overloaded.
        #expect(waits.dropFirst(20).allSatisfy { $0 <= .milliseconds(10) })
    }
}
