import TestSupport
import Testing

@testable import RPC

@Suite("The life of calls on a connection, against a model")
struct ServerCallMachineModelTests {
    @Test(
        "Protos/README.md, Call: random frames keep the rules: credit, one Response each",
        arguments: [1, 2, 5])
    func lives(callsMax: Int) {
        ModelRounds.run(callsMax: callsMax, atLeast: [5, 1]) { randomness in
            var model = CallModel(callsMax: callsMax)
            for _ in 0..<ModelRounds.steps { try model.step(randomness.next()) }
            try model.end()
            return [model.begun, model.delivered]
        }
    }
}
