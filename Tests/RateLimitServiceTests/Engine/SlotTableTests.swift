import TestSupport
import Testing

@testable import RateLimitService

@Suite("The table of slots")
struct SlotTableTests {
    @Test("keys that all want the same home, the last one too, are found, moved and removed")
    func crowded() {
        for high in [UInt64(0), 1 << 63, .max] {
            var table = SlotTable(sharedBits: 0)
            defer { table.release() }
            let keys = (0..<500).map { LimitKey(limit: 1, high: high, low: UInt64($0 * 7 % 500)) }
            for key in keys { Self.insert(key, &table) }
            #expect(table.count == 500)
            for key in keys { #expect(table.find(key).isThere) }
            for key in keys.prefix(250) { table.remove(at: table.find(key).place) }
            #expect(table.count == 250)
            for (place, key) in keys.enumerated() {
                #expect(table.find(key).isThere == (place >= 250))
            }
        }
    }

    @Test("it holds what a set holds, in ascending order, whatever comes and goes")
    func model() {
        let randomness = SeededRandomness(seed: 3)
        var table = SlotTable(sharedBits: 4)
        defer { table.release() }
        var model: Set<LimitKey> = []
        for step in 0..<30_000 {
            let hash = SeededRandomness(seed: randomness.next() % 2_000)
            let key = LimitKey(limit: 1, high: hash.next() >> 4, low: 0)
            if model.contains(key), randomness.next() % 3 > 0 {
                table.remove(at: table.find(key).place)
                model.remove(key)
            } else if !model.contains(key) {
                Self.insert(key, &table)
                model.insert(key)
            }
            guard step % 3_000 == 0 else { continue }
            let held = table.places.filter { !table[$0].isFree }.map { table[$0].high }
            #expect(held == model.map(\.high).sorted())
        }
    }

    private static func insert(_ key: LimitKey, _ table: inout SlotTable) {
        var state = LimitState(.ring)
        state.moments.insert(1)
        table.insert(key).write(key, state)
    }
}
