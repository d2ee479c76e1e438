import ArgumentParser
import Contracts
import RPC

/// Asks the rate-limit service, and shows what it answers.
struct LimitCaller: ParsableArguments {
    @Option(help: "The file that `postern up` writes.")
    var endpoints = Endpoints.defaultPath

    /// The service, as the operator's tool calls it.
    struct Service {
        let limits: LimitsClient
        let operation: LimitOperationClient
        /// Of one call.
        let context: CallContext
    }

    /// Prints the lines of an answer, or the catalogue's error.
    func show(_ ask: (Service) async throws -> [String]) async throws {
        let caller = try OperatorCaller(endpoints, service: "rate-limit")
        let service = Service(
            limits: LimitsClient(caller.client), operation: LimitOperationClient(caller.client),
            context: caller.context)
        try await OperatorCaller.telling {
            for line in try await ask(service) { Screen.line(line) }
        }
    }
}
