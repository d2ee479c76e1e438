import Contracts
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

@Suite("Followers of revocations that leave")
struct LeavingFollowersTests {
    @Test("S-06: a follower that leaves while an update arrives stops neither feed nor followers")
    func leaving() async throws {
        let log = RevocationLog()
        let updates = Task.detached {
            var position: UInt64 = 0
            while !Task.isCancelled {
                position += 1
                log.take(
                    RevocationUpdate(
                        ends: [], position: position, completeAt: Timestamp(milliseconds: 1),
                        isReset: false, keySet: [], retention: .seconds(1), epoch: 1))
                await Task.yield()
            }
        }
        defer { updates.cancel() }
        for _ in 0..<3_000 {
            let items = IncomingItems<SessionV1.WatchRevocationsItem>.inProcess {
                try await log.serve(SessionV1.WatchRevocationsRequest(), $0, ManualTime())
            }
            // The follower is cancelled when its items are released.
            _ = try await items.makeAsyncIterator().next()
        }
    }
}
