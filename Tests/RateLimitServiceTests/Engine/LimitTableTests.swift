import Contracts
import ServiceRuntime
import Synchronization
import TestSupport
import Testing

@testable import RateLimitService

@Suite("R-04: batches, pools and shadow mode work in the table", .timeLimit(.minutes(1)))
struct LimitTableTests {
    private static let ring = LimitRule.slidingWindow(count: 2, window: .seconds(10))
    private static let lock = LimitRule.lockout(
        attempts: 2, lockedFor: .seconds(10), failuresMax: 100)
    private let now = Timestamp(milliseconds: 1_700_000_000_000)
    private let table = LimitTable(statesMax: 1_000_000) { _ in CountingRule(Self.ring) }

    private func request(
        _ subject: UInt64, limit: UInt16 = 1, _ rule: LimitRule = Self.ring, isShadow: Bool = false
    ) -> LimitRequest {
        let hash = SeededRandomness(seed: subject)
        return LimitRequest(
            key: LimitKey(limit: limit, high: hash.next(), low: hash.next()), rule: rule,
            isShadow: isShadow)
    }

    /// The same request for a charge that is counted in the pool.
    private func shared(_ request: LimitRequest) -> LimitRequest {
        var shared = request
        shared.isShared = true
        return shared
    }

    @Test("R-04: the limit with the longest wait decides, and nothing is charged")
    func strictest() {
        for _ in 0..<2 { _ = table.apply(.consume, [request(1)], at: now) }
        for _ in 0..<2 { _ = table.apply(.consume, [request(2)], at: now + .seconds(1)) }
        let batch = [request(3), request(1), request(2)]
        let verdict = table.apply(.consume, batch, at: now + .seconds(2))
        #expect(verdict.isLimited && verdict.deciding == 2)
        #expect(verdict.retryAt == now + .seconds(11))
        #expect(table.apply(.peek, [request(3)], at: now + .seconds(2)).remaining == 1)
    }

    @Test("A-01: only the first rejection of each wait is marked as first")
    func first() {
        for wait in 0..<3 {
            let moment = now + .seconds(10 * wait)
            for _ in 0..<2 { _ = table.apply(.consume, [request(1)], at: moment) }
            let firsts = (0..<5).map { _ in table.apply(.consume, [request(1)], at: moment).isFirst
            }
            #expect(firsts == [true, false, false, false, false])
        }
    }

    @Test("R-06: a limit in shadow mode is counted and reported but rejects nothing")
    func shadow() {
        let batch = [
            request(1, isShadow: true), request(2, .slidingWindow(count: 9, window: .seconds(9))),
        ]
        for _ in 0..<2 {
            #expect(table.apply(.consume, batch, at: now).shadowLimited == 0)
        }
        let verdict = table.apply(.consume, batch, at: now)
        #expect(!verdict.isLimited && verdict.shadowLimited == 1 && verdict.deciding == 1)
        #expect(table.apply(.peek, [request(1)], at: now).isLimited)
        let alone = table.apply(.consume, [request(1, isShadow: true)], at: now)
        #expect(!alone.isLimited && alone.shadowLimited == 1)
    }

    @Test("R-03: 8 threads on shared batches get exactly N through, without a deadlock")
    func parallel() async {
        let rule = LimitRule.slidingWindow(count: 50, window: .seconds(10))
        let passed = await withTaskGroup(of: Int.self) { group in
            for thread in 0..<8 {
                group.addTask {
                    (0..<200).count { step in
                        // Subject 7 is in each batch; the others are in any order.
                        let others = [UInt64(thread + step), 7, UInt64(step)].map {
                            request($0, limit: $0 == 7 ? 1 : 2, $0 == 7 ? rule : Self.wide)
                        }
                        let isApart = Set(others.map(\.key)).count == others.count
                        let batch = isApart ? others : [others[1]]
                        return !table.apply(.consume, batch, at: now).isLimited
                    }
                }
            }
            return await group.reduce(0, +)
        }
        #expect(passed == 50)
    }

    private static let wide = LimitRule.gcra(count: 1_000_000, window: .seconds(10))

    @Test("R-03: in a full table new subjects share a pool that no success resets")
    func pool() {
        let table = LimitTable(statesMax: 100) { _ in CountingRule(Self.lock) }
        for subject: UInt64 in 1...100 {
            #expect(!table.apply(.consume, [request(subject, Self.lock)], at: now).isFull)
        }
        for subject: UInt64 in 101...102 {
            let verdict = table.apply(.consume, [request(subject, Self.lock)], at: now)
            #expect(verdict.isFull && !verdict.isLimited)
        }
        for operation in [BatchOperation.success, .reset, .consume] {
            let verdict = table.apply(operation, [request(103, Self.lock)], at: now)
            #expect(verdict.isFull && verdict.isLimited)
            #expect(verdict.retryAt == now + .seconds(10))
        }
        let known = table.apply(.consume, [request(7, Self.lock)], at: now)
        #expect(!known.isFull && !known.isLimited && known.attempt == 2)
    }

    @Test("R-03: a charge in the pool can be refunded")
    func poolRefund() {
        let table = LimitTable(statesMax: 1) { _ in CountingRule(Self.ring) }
        for subject: UInt64 in 1...3 { _ = table.apply(.consume, [request(subject)], at: now) }
        #expect(table.apply(.peek, [request(4)], at: now).isLimited)
        _ = table.apply(.refund(at: now), [shared(request(3))], at: now)
        #expect(!table.apply(.peek, [request(4)], at: now).isLimited)
    }

    @Test(
        "R-04: a charge in the pool is refunded there, even if the subject has its own state now")
    func poolRefundOfOwn() {
        let table = LimitTable(statesMax: 2) { _ in CountingRule(Self.ring) }
        for subject: UInt64 in 1...2 { _ = table.apply(.consume, [request(subject)], at: now) }
        let shared = now + .seconds(5)
        #expect(table.apply(.consume, [request(3)], at: shared).isFull)
        let later = now + .seconds(10)
        #expect(!table.apply(.consume, [request(3)], at: later).isFull)
        #expect(!table.apply(.consume, [request(5)], at: later).isFull)
        #expect(table.apply(.peek, [request(4)], at: later).remaining == 0)
        _ = table.apply(.refund(at: shared), [self.shared(request(3))], at: later)
        #expect(table.apply(.peek, [request(4)], at: later).remaining == 1)
        #expect(table.apply(.peek, [request(3)], at: later).remaining == 0)
    }

    @Test("R-04: a rate's charge in the pool is not refunded from the subject's own state")
    func rateRefundOfBoth() {
        let rate = LimitRule.gcra(count: 100, window: .seconds(60))
        let table = LimitTable(statesMax: 2) { _ in CountingRule(rate) }
        for subject: UInt64 in 1...2 {
            _ = table.apply(.consume, [request(subject, rate)], at: now)
        }
        let shared = now + .seconds(1)
        #expect(table.apply(.consume, [request(3, rate)], at: shared).isFull)
        let later = now + .seconds(2)
        #expect(!table.apply(.consume, [request(3, rate)], at: later).isFull)
        _ = table.apply(.refund(at: shared), [self.shared(request(3, rate))], at: later)
        #expect(table.apply(.peek, [request(3, rate)], at: later).attempt == 2)
    }

    @Test("R-04: the refund of a subject that was reset removes nothing of others from the pool")
    func refundAfterReset() {
        for operation in [BatchOperation.reset, .success] {
            let table = LimitTable(statesMax: 1) { _ in CountingRule(Self.lock) }
            _ = table.apply(.consume, [request(1, Self.lock)], at: now)
            for subject: UInt64 in 2...3 {
                let verdict = table.apply(.consume, [request(subject, Self.lock)], at: now)
                #expect(verdict.shared == 1)
            }
            #expect(table.apply(.peek, [request(4, Self.lock)], at: now).isLimited)
            _ = table.apply(operation, [request(1, Self.lock)], at: now)
            // Charged in the same millisecond as those in the pool, and removed since.
            _ = table.apply(.refund(at: now), [request(1, Self.lock)], at: now)
            // The free slot is used, so that others share the pool again.
            _ = table.apply(.consume, [request(5, Self.lock)], at: now)
            #expect(table.apply(.peek, [request(4, Self.lock)], at: now).isLimited)
        }
    }

    @Test("R-03: expired states are removed before the pool is used, live ones never")
    func sweptForRoom() {
        let table = LimitTable(statesMax: 50) { _ in CountingRule(Self.ring) }
        for subject: UInt64 in 1...49 { _ = table.apply(.consume, [request(subject)], at: now) }
        let later = now + .seconds(5)
        _ = table.apply(.consume, [request(50)], at: later)
        #expect(table.apply(.consume, [request(51)], at: later).isFull)
        let over = now + .seconds(10)
        #expect(!table.apply(.consume, [request(52)], at: over).isFull)
        // Subject 50 and the pool, which are both live, and subject 52.
        #expect(table.count == 3)
    }

    @Test("R-03: the expired pool of a lockout limit is removed, although it counts as a window")
    func sweptPool() {
        let table = LimitTable(statesMax: 2) { _ in CountingRule(Self.lock) }
        for subject: UInt64 in 1...3 {
            _ = table.apply(.consume, [request(subject, Self.lock)], at: now)
        }
        table.sweep(at: now + .seconds(9))
        #expect(table.count == 3)
        table.sweep(at: now + .seconds(10))
        #expect(table.count == 2)
    }

    @Test(
        "R-06: states of a limit whose rule has changed kind expire in a sweep",
        arguments: [
            (Self.ring, Self.lock, 4 * 86_400), (Self.lock, Self.ring, 11),
            (Self.ladder, Self.rate, 61), (Self.rate, Self.ring, 40),
        ])
    func sweptAfterChange(before: LimitRule, after: LimitRule, seconds: Int) {
        let rule = Mutex(CountingRule(before))
        let table = LimitTable(statesMax: 1_000) { _ in rule.withLock { $0 } }
        for subject: UInt64 in 1...9 {
            _ = table.apply(.consume, [request(subject, before)], at: now)
        }
        rule.withLock { $0 = CountingRule(after) }
        table.sweep(at: now + .milliseconds(1))
        #expect(table.count == 9)
        table.sweep(at: now + .seconds(seconds))
        #expect(table.count == 0)
    }

    private static let ladder = LimitRule.escalatingDelay(
        delays: [.zero], quiet: .seconds(86_400), perDay: 10)
    private static let rate = LimitRule.gcra(count: 4, window: .seconds(60))

    @Test("R-03: a sweep asks for a rule once, not for each state")
    func rulesOfSweep() {
        let reads = Atomic<Int>(0)
        let table = LimitTable(statesMax: 1_000) { _ in
            reads.add(1, ordering: .relaxed)
            return CountingRule(Self.ring)
        }
        for subject: UInt64 in 1...100 { _ = table.apply(.consume, [request(subject)], at: now) }
        table.sweep(at: now + .seconds(10))
        #expect(table.count == 0)
        #expect(reads.load(ordering: .relaxed) == 1)
    }

    @Test("R-03: the state of a limit that this version does not know stays")
    func unknownLimit() {
        let table = LimitTable(statesMax: 1_000) { $0 == 1 ? CountingRule(Self.ring) : nil }
        _ = table.apply(.consume, [request(1), request(2, limit: 99)], at: now)
        table.sweep(at: now + .seconds(1_000_000))
        #expect(table.count == 1)
    }

    @Test("R-03: growing to 200,000 subjects loses none and takes at most 64 bytes for each")
    func grows() {
        for subject: UInt64 in 0..<200_000 {
            _ = table.apply(.consume, [request(subject)], at: now)
        }
        #expect(table.count == 200_000)
        #expect(table.bytes <= 200_000 * 64)
        for subject: UInt64 in stride(from: 0, to: 200_000, by: 997) {
            #expect(table.apply(.peek, [request(subject)], at: now).remaining == 0)
        }
        table.sweep(at: now + .seconds(10))
        #expect(table.count == 0)
    }
}
