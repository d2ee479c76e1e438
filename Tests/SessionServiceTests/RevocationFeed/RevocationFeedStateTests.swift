import Contracts
import ServiceRuntime
import Testing

@Suite("S-06: a verifier tracks whether its revocation feed is complete")
struct RevocationFeedStateTests {
    private func update(
        epoch: UInt64, isComplete: Bool, retention: Duration = .seconds(691)
    ) -> RevocationUpdate {
        RevocationUpdate(
            ends: [], position: 1,
            completeAt: isComplete ? Timestamp(milliseconds: 1_000) : nil, isReset: false,
            keySet: [], retention: retention, epoch: epoch)
    }

    private func completeAt(_ items: [(epoch: UInt64, isComplete: Bool)]) -> Duration? {
        var feedState = RevocationFeedState()
        for (second, item) in items.enumerated() {
            feedState.record(
                update(epoch: item.epoch, isComplete: item.isComplete), at: .seconds(second))
        }
        return feedState.completeAt
    }

    @Test(
        "S-06: after a change of epoch the feed is stale until the server reports it complete",
        arguments: [
            ([], nil), ([(1, false)], nil), ([(1, true)], 0), ([(1, true), (1, false)], 0),
            ([(1, true), (1, true)], 1), ([(1, true), (2, false)], nil),
            ([(1, true), (2, false), (2, true)], 2), ([(1, true), (2, true)], 1),
        ] as [([(UInt64, Bool)], Int64?)])
    func table(items: [(UInt64, Bool)], second: Int64?) {
        #expect(
            completeAt(items.map { (epoch: $0.0, isComplete: $0.1) }) == second.map { .seconds($0) }
        )
    }

    @Test("S-07: the maximum token lifetime is the retention sent by the service minus the leeway")
    func lifeMax() {
        var feedState = RevocationFeedState()
        feedState.record(update(epoch: 1, isComplete: true), at: .zero)
        #expect(feedState.lifeMax == .seconds(631))
        feedState.record(update(epoch: 1, isComplete: true, retention: .zero), at: .zero)
        #expect(feedState.lifeMax == .seconds(631))
    }
}
