import ArgumentParser
import Contracts
import RPC

/// Calls the rate limit service, and prints the responses.
struct LimitCaller: ParsableArguments {
    @Option(help: "The file that `postern up` writes.")
    var endpoints = Endpoints.defaultPath

    /// The clients of the service.
    struct Service {
        let limits: LimitsClient
        let operation: LimitOperationClient
        /// The context of one call.
        let context: CallContext
    }

    /// Prints the lines of a response, or the error as JSON.
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
