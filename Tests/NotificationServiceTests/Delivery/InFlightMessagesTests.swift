import ServiceRuntime
import Storage
import Testing

@testable import NotificationService

@Suite("In-flight messages of a worker")
struct InFlightMessagesTests {
    private static let now = Timestamp(milliseconds: 1_000_000)

    /// Claimed messages of a lane.
    private func messages(_ lane: Lane, _ ids: Range<Int64>) throws -> [StoredMessage] {
        let lease = SQLValue(Self.now + Delivery.lease)
        return try ids.map { id in
            try StoredMessage(
                SQLRow([
                    .integer(id), .integer(1), .integer(1), SQLValue(Self.now), .null, lease, .null,
                    .integer(Channel.email.rawValue), .integer(lane.number),
                    SQLValue(lane.isWarning), .blob([1]), .blob([2]), .integer(0),
                ]))
        }
    }

    /// Takes one message and records its outcome.
    private func tryOne(_ hand: inout InFlightMessages) -> Bool {
        guard let message = hand.next() else { return false }
        hand.end(Conclusion(message: message, outcome: .taken, jitter: 0))
        return true
    }

    @Test("at most eight messages for each slot are claimed, whatever is due or the route accepts")
    func bound() throws {
        var hand = InFlightMessages(places: 8)
        #expect(hand.claimBudget(.ready(.max))?.total == 64)
        #expect(hand.claimBudget(.ready(3))?.total == 3)
        #expect(hand.claimBudget(.ready(0)) == nil)
        #expect(hand.claimBudget(.closed(until: Self.now)) == nil)
        hand.settle(ends: 0, claimed: try messages(.security, 1..<65))
        #expect(hand.claimBudget(.ready(.max)) == nil)
        // A message that has ended frees capacity in the transaction that records its outcome.
        #expect(tryOne(&hand))
        #expect(hand.claimBudget(.ready(.max))?.total == 1)
    }

    @Test(
        "notices are claimed only as fast as attempts finish, so that none waits for a slow server")
    func ahead() throws {
        var hand = InFlightMessages(places: 8)
        #expect(hand.claimBudget(.ready(.max))?.patient == 8)
        hand.settle(ends: 0, claimed: try messages(.notice, 1..<9))
        #expect(hand.claimBudget(.ready(.max))?.patient == 0)
        for _ in 0..<6 { #expect(tryOne(&hand)) }
        let ends = hand.takeEnds()
        #expect(ends.count == 6)
        hand.settle(ends: ends.count, claimed: [])
        #expect(hand.claimBudget(.ready(.max))?.patient == 8 + 12 - 2)
    }

    @Test("M7: warnings held up by a slow server leave a slot and capacity for requested messages")
    func unrequested() throws {
        var hand = InFlightMessages(places: 8)
        #expect(hand.claimBudget(.ready(.max))?.unrequested == 56)
        hand.settle(ends: 0, claimed: try messages(.security, 1..<57))
        for _ in 0..<7 { #expect(hand.next()?.lane == .security) }
        #expect(hand.next() == nil)
        let room = hand.claimBudget(.ready(.max))
        #expect(room?.total == 8 && room?.unrequested == 0)
        hand.settle(ends: 0, claimed: try messages(.requested, 57..<58))
        let next = hand.next()
        let requested = try #require(next)
        #expect(requested.lane == .requested)
        #expect(hand.next() == nil)
        // The end of a requested message frees no capacity for a warning. The end of a warning
        // does, even if it is recorded late.
        hand.end(Conclusion(message: requested, outcome: .taken, jitter: 0))
        #expect(hand.claimBudget(.ready(.max))?.unrequested == 0)
        let warning = try #require(try messages(.security, 1..<2).first)
        hand.end(Conclusion(message: warning, outcome: .taken, jitter: 0))
        #expect(hand.claimBudget(.ready(.max))?.unrequested == 1)
        let ends = hand.takeEnds()
        hand.putBack(ends)
        #expect(hand.claimBudget(.ready(.max))?.unrequested == 1)
        hand.settle(ends: hand.takeEnds().count, claimed: [])
        #expect(hand.claimBudget(.ready(.max))?.unrequested == 1)
    }

    @Test("outcomes that could not be recorded are kept, in front of later ones")
    func putBack() throws {
        var hand = InFlightMessages(places: 8)
        hand.settle(ends: 0, claimed: try messages(.security, 1..<4))
        #expect(tryOne(&hand))
        let ends = hand.takeEnds()
        #expect(tryOne(&hand))
        hand.putBack(ends)
        #expect(hand.takeEnds().map(\.message.id.key) == [1, 2])
        #expect(!hand.isEmpty)
    }

    @Test("on shutdown, messages not yet attempted are released without counting an attempt")
    func stopping() throws {
        var hand = InFlightMessages(places: 2)
        hand.settle(ends: 0, claimed: try messages(.security, 1..<6))
        #expect(tryOne(&hand))
        hand.putBackReady(at: Self.now)
        let ends = hand.takeEnds()
        #expect(ends.count == 5)
        #expect(
            ends.dropFirst().allSatisfy { $0.outcome == .unavailable("stopping", until: Self.now) })
        hand.settle(ends: ends.count, claimed: [])
        #expect(hand.isEmpty)
        #expect(hand.next() == nil)
    }
}
