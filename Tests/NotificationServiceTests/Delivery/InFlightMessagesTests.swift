import Contracts
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
                SQLRow(
                    [
                        .integer(id), .integer(1), .integer(1), SQLValue(Self.now), .null, lease,
                        .null, .integer(Channel.email.rawValue), .integer(lane.number),
                        SQLValue(lane.isWarning), .blob([1]), .text("sign-in"), .blob([2]),
                        .integer(0), .integer(0),
                    ],
                    names: StoredMessage.columns.split(separator: ", ").map(String.init)))
        }
    }

    /// Takes one message and records its outcome.
    private func tryOne(_ inFlight: inout InFlightMessages) -> Bool {
        guard let message = inFlight.next() else { return false }
        inFlight.finish(FinishedAttempt(message: message, outcome: .taken, jitter: 0))
        return true
    }

    @Test("at most eight messages for each slot are claimed, whatever is due or the route accepts")
    func bound() throws {
        var inFlight = InFlightMessages(slots: 8)
        #expect(inFlight.claimBudget(.ready(.max))?.total == 64)
        #expect(inFlight.claimBudget(.ready(3))?.total == 3)
        #expect(inFlight.claimBudget(.ready(0)) == nil)
        #expect(inFlight.claimBudget(.closed(until: Self.now)) == nil)
        inFlight.settle(finished: 0, claimed: try messages(.security, 1..<65))
        #expect(inFlight.claimBudget(.ready(.max)) == nil)
        // A message that has ended frees capacity in the transaction that records its outcome.
        #expect(tryOne(&inFlight))
        #expect(inFlight.claimBudget(.ready(.max))?.total == 1)
    }

    @Test(
        "notices are claimed only as fast as attempts finish, so that none waits for a slow server")
    func ahead() throws {
        var inFlight = InFlightMessages(slots: 8)
        #expect(inFlight.claimBudget(.ready(.max))?.lowPriority == 8)
        inFlight.settle(finished: 0, claimed: try messages(.notice, 1..<9))
        #expect(inFlight.claimBudget(.ready(.max))?.lowPriority == 0)
        for _ in 0..<6 { #expect(tryOne(&inFlight)) }
        let finished = inFlight.takeFinished()
        #expect(finished.count == 6)
        inFlight.settle(finished: finished.count, claimed: [])
        #expect(inFlight.claimBudget(.ready(.max))?.lowPriority == 8 + 12 - 2)
    }

    @Test("M7: warnings held up by a slow server leave a slot and capacity for requested messages")
    func unrequested() throws {
        var inFlight = InFlightMessages(slots: 8)
        #expect(inFlight.claimBudget(.ready(.max))?.unrequested == 56)
        inFlight.settle(finished: 0, claimed: try messages(.security, 1..<57))
        for _ in 0..<7 { #expect(inFlight.next()?.lane == .security) }
        #expect(inFlight.next() == nil)
        let budget = inFlight.claimBudget(.ready(.max))
        #expect(budget?.total == 8 && budget?.unrequested == 0)
        inFlight.settle(finished: 0, claimed: try messages(.requested, 57..<58))
        let next = inFlight.next()
        let requested = try #require(next)
        #expect(requested.lane == .requested)
        #expect(inFlight.next() == nil)
        // The end of a requested message frees no capacity for a warning. The end of a warning
        // does, even if it is recorded late.
        inFlight.finish(FinishedAttempt(message: requested, outcome: .taken, jitter: 0))
        #expect(inFlight.claimBudget(.ready(.max))?.unrequested == 0)
        let warning = try #require(try messages(.security, 1..<2).first)
        inFlight.finish(FinishedAttempt(message: warning, outcome: .taken, jitter: 0))
        #expect(inFlight.claimBudget(.ready(.max))?.unrequested == 1)
        let finished = inFlight.takeFinished()
        inFlight.putBack(finished)
        #expect(inFlight.claimBudget(.ready(.max))?.unrequested == 1)
        inFlight.settle(finished: inFlight.takeFinished().count, claimed: [])
        #expect(inFlight.claimBudget(.ready(.max))?.unrequested == 1)
    }

    @Test("outcomes that could not be recorded stay in flight, in front of later ones")
    func putBack() throws {
        var inFlight = InFlightMessages(slots: 8)
        inFlight.settle(finished: 0, claimed: try messages(.security, 1..<4))
        #expect(tryOne(&inFlight))
        let finished = inFlight.takeFinished()
        #expect(tryOne(&inFlight))
        inFlight.putBack(finished)
        #expect(inFlight.takeFinished().map(\.message.id.key) == [1, 2])
        #expect(!inFlight.isEmpty)
    }

    @Test("on shutdown, messages not yet attempted are released without counting an attempt")
    func stopping() throws {
        var inFlight = InFlightMessages(slots: 2)
        inFlight.settle(finished: 0, claimed: try messages(.security, 1..<6))
        #expect(tryOne(&inFlight))
        inFlight.putBackReady(at: Self.now)
        let finished = inFlight.takeFinished()
        #expect(finished.count == 5)
        #expect(
            finished.dropFirst().allSatisfy {
                $0.outcome == .unavailable("stopping", until: Self.now)
            })
        inFlight.settle(finished: finished.count, claimed: [])
        #expect(inFlight.isEmpty)
        #expect(inFlight.next() == nil)
    }
}
