import ArgumentParser
import Contracts
import Cryptography
import NIOPosix
import RPC
import ServiceRuntime

/// Asks the rate-limit service, and shows what it answers.
struct LimitCaller: ParsableArguments {
    private static let patience = Duration.seconds(10)

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
        let client = RPCClient(
            try Endpoints(endpoints).client(of: "rate-limit"),
            group: MultiThreadedEventLoopGroup.singleton, time: SystemTime(),
            randomness: SecureRandomness())
        let service = Service(
            limits: LimitsClient(client), operation: LimitOperationClient(client),
            context: client.context(timeout: Self.patience))
        do {
            for line in try await ask(service) { Screen.line(line) }
        } catch let error as ServiceError {
            Screen.line(ErrorText.json(error))
            throw ExitCode(1)
        }
    }
}
