import TestSupport
import Testing

/// Random lives of a connection's calls, beside a model of the rules.
enum ModelRounds {
    /// What happens in one round.
    static let steps = 250

    /// Lives round after round, each by a seed of its own, which is told when a rule breaks.
    /// - Parameters:
    ///   - callsMax: the limit of calls at once, which is part of the seed.
    ///   - least: what has to happen in a round on average, for each of the counts that `live`
    ///     gives: a run in which little happened would have tested little.
    ///   - live: one round, of `steps`.
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
