import ServiceRuntime
import TestSupport
import Testing

@testable import Storage

@Suite("The turns of what waits in bulk")
struct BulkLineTests {
    /// An element of an owner: its owner and its number among them.
    struct Item: Equatable, CustomStringConvertible {
        let owner: Int
        let number: Int
        var description: String { "\(owner).\(number)" }
    }

    private func line(_ max: Int = 1_000, ofOne: Int = 1_000) -> BulkLine<Item> {
        BulkLine(elementsMax: max, elementsOfOneMax: ofOne)
    }

    /// Elements of 10 bytes.
    @discardableResult
    private func add(
        _ owner: Int, _ number: Int, to line: inout BulkLine<Item>, gone: Set<String> = []
    ) throws(QueueRefusal) -> Item? {
        try line.add(
            Item(owner: owner, number: number), bytes: 10, of: .account(Int64(owner))
        ) { gone.contains($0.description) }
    }

    private func take(
        _ count: Int, from line: inout BulkLine<Item>, bytesMax: Int = 1_000,
        gone: Set<String> = []
    ) -> [String] {
        line.take(upTo: count, bytesMax: bytesMax) { gone.contains($0.description) }
            .map(\.description)
    }

    @Test(
        "I-07: owners take turns, and one owner's elements keep their order",
        arguments: [
            ([1, 1, 1, 2], ["1.0", "2.3", "1.1", "1.2"]),
            ([1, 2, 1, 2, 1], ["1.0", "2.1", "1.2", "2.3", "1.4"]),
            ([1, 1, 2, 2, 3], ["1.0", "2.2", "3.4", "1.1", "2.3"]),
            ([1, 1, 1, 1], ["1.0", "1.1", "1.2", "1.3"]),
        ])
    func turns(_ owners: [Int], _ expected: [String]) throws {
        for atOnce in 1...5 {
            var line = line()
            for (number, owner) in owners.enumerated() { try add(owner, number, to: &line) }
            #expect(line.count == owners.count)
            var taken: [String] = []
            while line.count > 0 { taken += take(atOnce, from: &line) }
            #expect(taken == expected, "\(atOnce) at once")
        }
    }

    @Test("I-07: a hundred elements of one account delay another's by one")
    func crowd() throws {
        var line = line()
        for number in 0..<100 { try add(1, number, to: &line) }
        #expect(take(1, from: &line) == ["1.0"])
        try add(2, 0, to: &line)
        #expect(take(1, from: &line) == ["1.1"])
        #expect(take(1, from: &line) == ["2.0"])
        #expect(take(3, from: &line) == ["1.2", "1.3", "1.4"])
    }

    @Test("I-07: however they arrive, none waits for two elements of another owner")
    func seeded() throws {
        let randomness = SeededRandomness(seed: 7)
        var line = line()
        var numbers = [Int](repeating: 0, count: 8)
        var nextOf = numbers
        /// For each owner with elements: how many of each other were taken since its turn.
        var waited: [Int: [Int: Int]] = [:]
        for _ in 0..<20_000 {
            let owner = Int(randomness.integer() % 8)
            if randomness.integer() % 2 == 0, line.count < 200 {
                try add(owner, numbers[owner], to: &line)
                if numbers[owner] == nextOf[owner] { waited[owner] = [:] }
                numbers[owner] += 1
            } else if line.count > 0 {
                let items = line.take(
                    upTo: 1 + Int(randomness.integer() % 3), bytesMax: 1_000, isGone: { _ in false }
                )
                for item in items {
                    #expect(item.number == nextOf[item.owner])
                    nextOf[item.owner] += 1
                    waited[item.owner] = nextOf[item.owner] == numbers[item.owner] ? nil : [:]
                    for other in waited.keys where other != item.owner {
                        waited[other]?[item.owner, default: 0] += 1
                        #expect(waited[other]?[item.owner] == 1)
                    }
                }
            }
        }
        #expect(nextOf.reduce(0, +) > 5_000)
    }

    @Test("I-07: bytes end a take, but not before its first element")
    func bytes() throws {
        var line = line()
        for number in 0..<4 { try add(number % 2, number, to: &line) }
        #expect(take(9, from: &line, bytesMax: 20) == ["0.0", "1.1"])
        #expect(take(9, from: &line, bytesMax: 9) == ["0.2"])
        #expect(take(0, from: &line) == ["1.3"])
    }

    @Test("I-07: one owner has a bound, which is no other's")
    func boundOfOne() throws {
        var line = line(ofOne: 2)
        for number in 0..<2 { try add(1, number, to: &line) }
        #expect(throws: QueueRefusal.ownerFull) { try add(1, 2, to: &line) }
        try add(2, 0, to: &line)
        #expect(take(9, from: &line) == ["1.0", "2.0", "1.1"])
        try add(1, 3, to: &line)
        #expect(line.count == 1)
    }

    @Test("I-07: in a full line the owner with the most gives its newest place to one with fewer")
    func fullLine() throws {
        var line = line(4)
        for number in 0..<4 { try add(1, number, to: &line) }
        #expect(try add(2, 0, to: &line)?.description == "1.3")
        #expect(try add(3, 0, to: &line)?.description == "1.2")
        // Each has one or two: a place would be given to and fro.
        #expect(throws: QueueRefusal.full) { try add(2, 1, to: &line) }
        #expect(try add(4, 0, to: &line)?.description == "1.1")
        #expect(throws: QueueRefusal.full) { try add(5, 0, to: &line) }
        #expect(line.count == 4)
        #expect(take(9, from: &line) == ["1.0", "2.0", "3.0", "4.0"])
    }

    @Test("elements that are gone count for nothing, and are the first to give their place")
    func gone() throws {
        var line = line(ofOne: 3)
        for number in 0..<3 { try add(1, number, to: &line) }
        #expect(try add(1, 3, to: &line, gone: ["1.1"])?.description == "1.1")
        try add(2, 0, to: &line)
        let taken = take(1, from: &line, bytesMax: 10, gone: ["1.0", "1.2"])
        #expect(taken == ["1.0", "1.2", "1.3"])
        #expect(take(1, from: &line) == ["2.0"])
        #expect(line.count == 0)
    }
}
