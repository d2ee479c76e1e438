import TestSupport
import Testing

@testable import RPC

@Suite("A server's calls on a connection, compared with a model")
struct ServerCallMachineModelTests {
    @Test(
        "Protos/README.md, Call: random frames keep the rules for credit and one Response per call",
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
