import Contracts
import ServiceRuntime
import TestSupport
import Testing

@testable import RateLimitService

@Suite("R-05: states under a former secret end, and none begins there", .timeLimit(.minutes(1)))
struct FormerStateTests {
    private static let window = LimitRule.slidingWindow(count: 2, window: .seconds(10))
    /// The first failure locks until a reset.
    private static let lock = LimitRule.lockout(
        attempts: 1, lockedFor: .seconds(10), failuresMax: 1)
    private static let lockLimit: UInt16 = 2
    private let now = Timestamp(milliseconds: 1_767_225_600_000)
    private let table = LimitTable(statesMax: 1_000) {
        CountingRule($0 == Self.lockLimit ? Self.lock : Self.window)
    }

    private func request(
        _ subject: UInt64, limit: UInt16 = 1, isUnderFormer: Bool = false
    ) -> LimitRequest {
        let hash = SeededRandomness(seed: subject)
        var request = LimitRequest(
            key: LimitKey(limit: limit, high: hash.next(), low: hash.next()),
            rule: limit == Self.lockLimit ? Self.lock : Self.window, isShadow: false)
        request.isUnderFormer = isUnderFormer
        return request
    }

    @Test("R-05: one that has ended is dropped when it is looked up")
    func ended() {
        let request = request(1)
        _ = table.apply(.consume, request, at: now)
        let last = now + .milliseconds(9_999)
        #expect(table.counts(request.key, by: request.rule, at: last))
        #expect(table.count == 1)
        #expect(!table.counts(request.key, by: request.rule, at: now + .seconds(10)))
        #expect(table.count == 0)
        // A slower call found it before.
        let slower = self.request(1, isUnderFormer: true)
        #expect(table.apply(.consume, slower, at: last).isStale)
        #expect(table.count == 0)
    }

    @Test("R-05: no batch is decided with one that has ended", arguments: [1, 2])
    func stale(size: Int) {
        let batch = [request(1, isUnderFormer: true), request(2)].prefix(size)
        for operation: BatchOperation in [.peek, .consume] {
            #expect(table.apply(operation, Array(batch), at: now).isStale)
            #expect(table.count == 0)
        }
        _ = table.apply(.consume, request(1), at: now)
        #expect(!table.apply(.consume, Array(batch), at: now).isStale)
        #expect(table.apply(.peek, request(1), at: now).isLimited, "two charges")
        #expect(table.apply(.consume, Array(batch), at: now + .seconds(10)).isStale)
        #expect(table.count == size, "nothing was charged or dropped")
    }

    @Test("R-05: of states without an end, those that began before a time are dropped")
    func endless() {
        _ = table.apply(.consume, request(1, limit: Self.lockLimit), at: now)
        _ = table.apply(.consume, request(2, limit: Self.lockLimit), at: now + .milliseconds(1))
        _ = table.apply(.consume, request(3), at: now)
        table.dropEndless(begunBefore: now)
        #expect(table.count == 3)
        table.dropEndless(begunBefore: now + .milliseconds(1))
        #expect(!table.holds(request(1, limit: Self.lockLimit).key))
        #expect(table.holds(request(2, limit: Self.lockLimit).key))
        #expect(table.holds(request(3).key), "it ends by itself")
    }
}
