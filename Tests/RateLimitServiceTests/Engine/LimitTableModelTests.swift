import ServiceRuntime
import TestSupport
import Testing

@testable import RateLimitService

@Suite("R-03: the table decides as the rules do", .timeLimit(.minutes(10)))
struct LimitTableModelTests {
    /// Some 40,000 operations, or a hundred times as many for each round of a soak.
    private static let operations = 20_000

    @Test(
        "R-03: the compact table agrees with the rules over a dictionary",
        arguments: [20, 3_000])
    func model(subjects: UInt64) throws {
        for round in 0..<SoakRounds.count {
            let seed = UInt64(round) &* 7_919 + subjects
            try follow(TrafficOfLimits(seed: seed, subjects: subjects), seed)
        }
    }

    private func follow(_ start: TrafficOfLimits, _ seed: UInt64) throws {
        var traffic = start
        var model = ModelTable()
        let table = LimitTable(statesMax: 1_000_000, rules: TrafficOfLimits.rule)
        let rules = Dictionary(
            uniqueKeysWithValues: TrafficOfLimits.counting.enumerated().map {
                (UInt16($0.offset), $0.element)
            })
        for step in 0..<Self.operations {
            let (operation, batch) = traffic.next()
            let expected = model.apply(operation, batch, at: traffic.now)
            let verdict = table.apply(operation, batch, at: traffic.now)
            try #require(verdict == expected, "seed \(seed), step \(step), \(operation)")
            if step % 5_000 == 4_999 {
                table.sweep(at: traffic.now)
                model.sweep(at: traffic.now.milliseconds, rules)
                try #require(table.count == model.states.count, "seed \(seed), step \(step)")
            }
        }
    }

    @Test("R-03: two tables of different sizes hold the same")
    func sizes() {
        for statesMax in [4_096, 1_000_000] {
            var traffic = TrafficOfLimits(seed: 9, subjects: 500)
            var other = TrafficOfLimits(seed: 9, subjects: 500)
            let one = LimitTable(statesMax: 1_000_000, rules: TrafficOfLimits.rule)
            let two = LimitTable(statesMax: statesMax, rules: TrafficOfLimits.rule)
            for _ in 0..<5_000 {
                let (operation, batch) = traffic.next()
                _ = other.next()
                #expect(
                    one.apply(operation, batch, at: traffic.now)
                        == two.apply(operation, batch, at: other.now))
            }
            #expect(one.count == two.count)
        }
    }
}
