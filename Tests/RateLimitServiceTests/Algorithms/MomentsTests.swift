import TestSupport
import Testing

@testable import RateLimitService

@Suite("Moments in 32 bits")
struct MomentsTests {
    @Test("moments come back as they were, in order, whatever is put in and taken out")
    func model() {
        let randomness = SeededRandomness(seed: 5)
        var moments = Moments()
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

    @Test("what is too far apart moves towards the newest, which is strict")
    func far() {
        let far = Int64(UInt32.max)
        var moments = Moments()
        for moment in [1_000, 1_000 + far, 2_000 + far] { moments.insert(moment) }
        #expect((0..<3).map { moments[$0] } == [2_000, 1_000 + far, 2_000 + far])
        moments.insert(0)
        #expect((0..<4).map { moments[$0] } == [2_000, 2_000, 1_000 + far, 2_000 + far])
        moments.insert(10 * far)
        #expect(moments[0] == 9 * far && moments.last == 10 * far)
    }
}
