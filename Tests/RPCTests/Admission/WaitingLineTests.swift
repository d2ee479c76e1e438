import ServiceRuntime
import TestSupport
import Testing

@testable import RPC

@Suite("A queue that also removes from its back and its middle")
struct WaitingLineTests {
    @Test("it does the same as an array under random operations", arguments: 0..<20)
    func model(seed: Int) {
        let randomness = SeededRandomness(seed: UInt64(seed))
        var line = WaitingLine<Int>()
        var model: [Int] = []
        var places: [Int: WaitingLine<Int>.Place] = [:]
        for number in 0..<2_000 {
            switch randomness.integer() % 6 {
            case 0, 1:
                places[number] = line.append(number)
                model.append(number)
            case 2:
                let expected = model.isEmpty ? nil : model.removeFirst()
                #expect(line.removeFirst() == expected)
            case 3:
                let expected = model.popLast()
                #expect(line.removeLast() == expected)
            default:
                let wanted = Int(randomness.integer() % UInt64(number + 1))
                guard let place = places[wanted] else { continue }
                let index = model.firstIndex(of: wanted)
                let expected = index.map { model.remove(at: $0) }
                #expect(line.remove(place) == expected)
            }
            #expect(line.count == model.count)
            #expect(line.first == model.first)
            #expect(line.isEmpty == model.isEmpty)
        }
    }
}
