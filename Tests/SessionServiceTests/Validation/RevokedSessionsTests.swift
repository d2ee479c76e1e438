import Contracts
import ServiceRuntime
import TestSupport
import Testing

@testable import SessionService

@Suite("Ended sessions stay in memory until their tokens have expired")
struct RevokedSessionsTests {
    private static let retention: Duration = .seconds(660)

    /// Sessions that end at `now`.
    private func ends(_ count: Int, at now: Timestamp) -> [RevokedSession] {
        let randomness = SeededRandomness(seed: 3)
        return (0..<count).map { _ in RevokedSession(id: .drawn(from: randomness), at: now) }
    }

    @Test("B21: ended sessions are removed once their tokens have expired, even if no other ends")
    func forgotten() {
        let now = Timestamp(milliseconds: 1_700_000_000_000)
        let ended = RevokedSessions(retention: Self.retention, wakeSignal: WakeSignal())
        let early = ends(15_000, at: now)
        ended.insert(early)
        #expect(ended.count == 15_000)
        ended.forget(at: now + Self.retention - .milliseconds(1))
        #expect(early.allSatisfy { ended.contains($0.id) })
        // The scan of all sessions is made at most once a minute.
        ended.forget(at: now + Self.retention)
        #expect(ended.count == 15_000)
        ended.forget(at: now + Self.retention + .seconds(60))
        #expect(ended.count == 0)
    }
}
