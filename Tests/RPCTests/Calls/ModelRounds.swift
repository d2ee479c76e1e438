import TestSupport
import Testing

/// Random sequences of events on a connection, compared with a model of the rules.
enum ModelRounds {
    /// Events in one round.
    static let steps = 250

    /// Runs round after round, each with a seed of its own, which is printed when a rule breaks.
    /// - Parameters:
    ///   - callsMax: the limit of concurrent calls, which is part of the seed.
    ///   - least: the minimum average per round of each count that `live` returns: a run in which
    ///     little happened would have tested little.
    ///   - live: runs one round of `steps` events.
    static func run(
        callsMax: Int, atLeast least: [Int], _ live: (SeededRandomness) throws -> [Int]
    ) {
        var happened = least.map { _ in 0 }
        let rounds = SoakRounds.count(ordinarily: 400)
        for round in 0..<rounds {
            let seed = UInt64(callsMax) << 32 | UInt64(round)
            do {
                let counts = try live(SeededRandomness(seed: seed))
                for (index, count) in counts.enumerated() { happened[index] += count }
            } catch {
                Issue.record("seed \(seed): \(error)")
                return
            }
        }
        for (index, count) in happened.enumerated() { #expect(count > rounds * least[index]) }
    }
}
