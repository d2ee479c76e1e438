import Contracts
import ServiceRuntime
import TestSupport
import Testing

@testable import RateLimitService

@Suite("R-03: each class of limits has its share of the table", .timeLimit(.minutes(1)))
struct TableLayoutTests {
    private static let ring = LimitRule.slidingWindow(count: 2, window: .seconds(10))
    private let now = Timestamp(milliseconds: 1_700_000_000_000)
    /// Limits 0 and 1 have a share each. Limit 0 selects its cells by 8 bits.
    private static let layout = TableLayout(
        classes: [0, 1], bucketBits: [8, 0], shares: [60, 40])

    private func table(_ statesMax: Int) -> LimitTable {
        LimitTable(statesMax: statesMax, layout: Self.layout) { _ in CountingRule(Self.ring) }
    }

    private func request(_ subject: UInt64, limit: UInt16) -> LimitRequest {
        let hash = SeededRandomness(seed: subject)
        return LimitRequest(
            key: LimitKey(limit: limit, high: hash.next(), low: hash.next()), rule: Self.ring,
            isShadow: false)
    }

    /// How many of these new subjects get a state.
    private func fill(_ table: LimitTable, _ subjects: Range<UInt64>, limit: UInt16) -> Int {
        subjects.count {
            !table.apply(.consume, [request($0, limit: limit)], at: now).isFull
        }
    }

    @Test("H1: a full class leaves the other classes their share")
    func shares() {
        let table = table(1_000)
        #expect(fill(table, 0..<5_000, limit: 0) == 600)
        #expect(fill(table, 0..<5_000, limit: 1) == 400)
        #expect(table.apply(.consume, [request(7, limit: 0)], at: now).attempt == 2)
    }

    @Test("H1: expired states free capacity in their own class")
    func swept() {
        let table = table(1_000)
        _ = fill(table, 0..<5_000, limit: 0)
        table.sweep(at: now + .seconds(10))
        #expect(table.count == 0)
        #expect(fill(table, 5_000..<10_000, limit: 0) == 600)
    }

    @Test("H1: states with many timestamps take as much of their class as they need")
    func weights() {
        let ring = LimitRule.slidingWindow(count: 64, window: .seconds(10))
        let table = LimitTable(statesMax: 1_000, layout: Self.layout) { _ in CountingRule(ring) }
        func request(_ subject: UInt64, _ limit: UInt16) -> LimitRequest {
            LimitRequest(
                key: self.request(subject, limit: limit).key, rule: ring, isShadow: false)
        }
        for subject: UInt64 in 0..<120 {
            for _ in 0..<20 { _ = table.apply(.consume, [request(subject, 0)], at: now) }
        }
        #expect(table.apply(.consume, [request(999, 0)], at: now).isFull)
        #expect(!table.apply(.consume, [request(999, 1)], at: now).isFull)
        for subject: UInt64 in 0..<120 {
            _ = table.apply(.reset, [request(subject, 0)], at: now)
        }
        #expect(!table.apply(.consume, [request(999, 0)], at: now).isFull)
    }

    @Test("H1: without a free state, only users who share a cell with an attacker are rejected")
    func cells() {
        let table = table(100)
        _ = fill(table, 0..<60, limit: 0)
        // An attacker charges 32 of the 256 cells until they are limited.
        for subject: UInt64 in 1_000..<50_000 {
            let request = request(subject, limit: 0)
            guard request.key.high >> 61 == 0 else { continue }
            _ = table.apply(.consume, [request], at: now)
        }
        var refused = 0
        for subject: UInt64 in 100_000..<101_000 {
            let verdict = table.apply(.peek, [request(subject, limit: 0)], at: now)
            #expect(verdict.isFull)
            #expect(verdict.isLimited == (request(subject, limit: 0).key.high >> 61 == 0))
            if verdict.isLimited { refused += 1 }
        }
        #expect(refused > 80 && refused < 180)
        #expect(table.count == 60 + 32)
    }

    @Test("H1: a charge in a cell is refunded there")
    func refund() {
        let table = table(1)
        let request = request(5, limit: 0)
        for _ in 0..<2 { #expect(!table.apply(.consume, [request], at: now).isLimited) }
        var taken = request
        taken.isShared = true
        #expect(table.apply(.peek, [request], at: now).isLimited)
        _ = table.apply(.refund(at: now), [taken], at: now)
        #expect(!table.apply(.peek, [request], at: now).isLimited)
    }

    @Test("H1: every limit has a class, and there are at most 2^18 cells")
    func complete() {
        let layout = TableLayout { _ in 30 }
        #expect(layout.bucketsMax <= 1 << 18 && layout.bucketsMax > 1 << 17)
        for limit in LimitName.allCases {
            #expect(layout.classes[Int(limit.number)] == UInt8(limit.definition.capacity.rawValue))
            #expect(Int(limit.number) < TableLayout.limitsMax)
        }
    }

    @Test("H1: a journal without shares is restored even if a class exceeds its share")
    func former() async throws {
        let folder = try TemporaryFolder()
        let location = LimitJournalLocation(folder: folder.path, name: "limits")
        let logger = CapturedLog().logger(time: ManualTime())
        let before = try LimitTable(statesMax: 1_000, journal: location, at: now, logger: logger) {
            _ in CountingRule(Self.ring)
        }
        _ = fill(before, 0..<1_500, limit: 0)
        try await before.persisted()
        before.close()
        let after = try LimitTable(
            statesMax: 1_000, layout: Self.layout, journal: location, at: now, logger: logger
        ) { _ in CountingRule(Self.ring) }
        defer { after.close() }
        #expect(after.count == before.count)
        #expect(after.apply(.peek, [request(7, limit: 0)], at: now).attempt == 2)
        #expect(after.apply(.peek, [request(7_000, limit: 0)], at: now).isFull)
        #expect(!after.apply(.peek, [request(7_000, limit: 1)], at: now).isFull)
    }
}
