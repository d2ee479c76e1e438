import ArgumentParser
import Contracts
import Cryptography
import Messages
import NIOPosix
import RPC
import ServiceRuntime

/// Asks the session service about its keys, and shows what it answers.
struct SessionKeyCaller: ParsableArguments {
    /// What the session service can be asked about its keys.
    struct Calls {
        private static let patience = Duration.seconds(10)

        let signing: SigningKeysClient
        let refresh: RefreshKeysClient
        private let client: RPCClient

        init(_ client: RPCClient) {
            self.client = client
            signing = SigningKeysClient(client)
            refresh = RefreshKeysClient(client)
        }

        /// Of one call.
        func context() -> CallContext { client.context(timeout: Self.patience) }
    }

    @Option(help: "The file that `postern up` writes.")
    var endpoints = Endpoints.defaultPath

    /// Shows the lines that `ask` makes of the answer, or the error.
    func show(_ ask: (Calls) async throws -> [String]) async throws {
        let client = RPCClient(
            try Endpoints(endpoints).client(of: "session"),
            group: MultiThreadedEventLoopGroup.singleton, time: SystemTime(),
            randomness: SecureRandomness())
        do {
            for line in try await ask(Calls(client)) { Screen.line(line) }
        } catch let error as ServiceError {
            Screen.line(ErrorText.json(error))
            throw ExitCode(1)
        }
    }
}
