import TestSupport
import Testing

@testable import RPC

@Suite("The life of calls on a connection, against a model")
struct ServerCallMachineModelTests {
    @Test(
        "wire.md, Call: random frames keep the rules: credit, one Response each, none left behind",
        arguments: [1, 2, 5])
    func lives(callsMax: Int) throws {
        var (begun, delivered) = (0, 0)
        let rounds = SoakRounds.count(ordinarily: 400)
        for round in 0..<rounds {
            let seed = UInt64(callsMax) << 32 | UInt64(round)
            let randomness = SeededRandomness(seed: seed)
            var model = CallModel(callsMax: callsMax)
            do {
                for _ in 0..<250 { try model.step(randomness.next()) }
                try model.end()
            } catch {
                Issue.record("seed \(seed): \(error)")
                return
            }
            begun += model.begun
            delivered += model.delivered
        }
        // A run in which little happened would have tested little.
        #expect(begun > rounds * 5)
        #expect(delivered > rounds)
    }
}
