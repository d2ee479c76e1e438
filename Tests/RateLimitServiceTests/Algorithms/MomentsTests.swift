import TestSupport
import Testing

@testable import RateLimitService

@Suite("Timestamps are stored in 32 bits")
struct MomentsTests {
    @Test("after any inserts and removals the timestamps are read back unchanged and in order")
    func model() {
        var moments = Moments()
        Self.follow(&moments)
        Self.inPlace { Self.follow(&$0) }
    }

    @Test("a timestamp too far from the newest is moved towards it, which is stricter")
    func far() {
        var moments = Moments()
        Self.spread(&moments)
        Self.inPlace { Self.spread(&$0) }
    }

    /// Calls `body` with timestamps stored in a slot of the table and its largest block.
    private static func inPlace(_ body: (inout SlotState.List) -> Void) {
        withUnsafeTemporaryAllocation(byteCount: Slot.bytes, alignment: 8) { bytes in
            withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 64) { block in
                guard let start = bytes.baseAddress, let rest = block.baseAddress else { return }
                let slot = Slot(start: start)
                slot.begin(LimitKey(limit: 1, high: 1, low: 1), .slidingWindow)
                var moments = SlotState.List(slot: slot, rest: rest)
                body(&moments)
            }
        }
    }

    private static func follow(_ moments: inout some MomentList) {
        let randomness = SeededRandomness(seed: 5)
        var model: [Int64] = []
        for _ in 0..<20_000 {
            let moment = Int64(randomness.next() % 1_000)
            switch randomness.next() % 4 {
            case 0:
                moments.remove(moment)
                if let place = model.firstIndex(of: moment) { model.remove(at: place) }
            case 1 where randomness.next() % 8 == 0:
                moments.dropFirst(3)
                model.removeFirst(min(3, model.count))
            default:
                if model.count == 64 { model.removeFirst() }
                moments.insert(moment)
                model.append(moment)
                model.sort()
            }
            #expect((0..<moments.count).map { moments[$0] } == model)
        }
    }

    private static func spread(_ moments: inout some MomentList) {
        let far = Int64(UInt32.max)
        for moment in [1_000, 1_000 + far, 2_000 + far] { moments.insert(moment) }
        #expect((0..<3).map { moments[$0] } == [2_000, 1_000 + far, 2_000 + far])
        moments.insert(0)
        #expect((0..<4).map { moments[$0] } == [2_000, 2_000, 1_000 + far, 2_000 + far])
        moments.insert(10 * far)
        #expect(moments[0] == 9 * far && moments.last == 10 * far)
    }
}
