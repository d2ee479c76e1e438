import TestSupport
import Testing

@testable import RateLimitService

@Suite("The slot table finds, moves and removes keys")
struct SlotTableTests {
    @Test("keys with the same home slot, even the last one, are found, moved and removed")
    func crowded() {
        for high in [UInt64(0), 1 << 63, .max] {
            var table = SlotTable(sharedBits: 0)
            defer { table.release() }
            let keys = (0..<500).map { LimitKey(limit: 1, high: high, low: UInt64($0 * 7 % 500)) }
            for key in keys { Self.insert(key, &table) }
            #expect(table.count == 500)
            for key in keys { #expect(table.find(key).exists) }
            for key in keys.prefix(250) { table.remove(at: table.find(key).slotIndex) }
            #expect(table.count == 250)
            for (place, key) in keys.enumerated() {
                #expect(table.find(key).exists == (place >= 250))
            }
        }
    }

    @Test("after any inserts and removals it holds the same as a set, in ascending order")
    func model() {
        let randomness = SeededRandomness(seed: 3)
        var table = SlotTable(sharedBits: 4)
        defer { table.release() }
        var model: Set<LimitKey> = []
        for step in 0..<30_000 {
            let hash = SeededRandomness(seed: randomness.next() % 2_000)
            let key = LimitKey(limit: 1, high: hash.next() >> 4, low: 0)
            if model.contains(key), randomness.next() % 3 > 0 {
                table.remove(at: table.find(key).slotIndex)
                model.remove(key)
            } else if !model.contains(key) {
                Self.insert(key, &table)
                model.insert(key)
            }
            guard step % 3_000 == 0 else { continue }
            let held = table.slotIndices.filter { !table[$0].isFree }.map { table[$0].high }
            #expect(held == model.map(\.high).sorted())
        }
    }

    @Test("keys appended in order are found as if each had been inserted")
    func appended() throws {
        let randomness = SeededRandomness(seed: 8)
        let highs = (0..<2_000).map { _ in randomness.next() }.sorted()
        var table = SlotTable(sharedBits: 0)
        defer { table.release() }
        table.reserve(highs.count)
        var end = 0
        for high in highs {
            let key = LimitKey(limit: 1, high: high, low: 0)
            try #require(table.append(key, behind: &end)).begin(key, .slidingWindow)
        }
        #expect(table.slotIndices.filter { !table[$0].isFree }.map { table[$0].high } == highs)
        for high in highs {
            #expect(table.find(LimitKey(limit: 1, high: high, low: 0)).exists)
            Self.insert(LimitKey(limit: 2, high: high, low: 0), &table)
        }
        #expect(table.count == 4_000)
    }

    @Test("keys whose home is the last slot cannot be appended there, but are inserted")
    func appendedAtTheEnd() {
        var table = SlotTable(sharedBits: 0)
        defer { table.release() }
        table.reserve(500)
        var end = 0
        var refused = 0
        for low in 0..<500 {
            let key = LimitKey(limit: 1, high: .max, low: UInt64(low))
            if let slot = table.append(key, behind: &end) {
                slot.begin(key, .slidingWindow)
            } else {
                refused += 1
                Self.insert(key, &table)
            }
            #expect(table.find(key).exists)
        }
        #expect(refused > 0 && table.count == 500)
    }

    @Test("a table that grows while keys are appended in order loses none")
    func appendedAfterGrowth() {
        let randomness = SeededRandomness(seed: 9)
        var table = SlotTable(sharedBits: 0)
        defer { table.release() }
        let highs = (0..<2_000).map { _ in randomness.next() }.sorted()
        var end = 0
        var refused = 0
        for high in highs {
            let key = LimitKey(limit: 1, high: high, low: 0)
            if let slot = table.append(key, behind: &end) {
                slot.begin(key, .slidingWindow)
            } else {
                refused += 1
                Self.insert(key, &table)
            }
        }
        #expect(refused > 0 && table.count == highs.count)
        #expect(table.slotIndices.filter { !table[$0].isFree }.map { table[$0].high } == highs)
        let lost = highs.filter { !table.find(LimitKey(limit: 1, high: $0, low: 0)).exists }
        #expect(lost.isEmpty)
    }

    private static func insert(_ key: LimitKey, _ table: inout SlotTable) {
        table.insert(key, at: table.find(key)).begin(key, .slidingWindow)
    }
}
