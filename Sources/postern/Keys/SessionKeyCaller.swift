import ArgumentParser
import Contracts
import RPC

/// Calls the session service about its keys, and prints the responses.
struct SessionKeyCaller: ParsableArguments {
    /// The session service's calls about keys.
    struct Calls {
        let signing: SigningKeysClient
        let refresh: RefreshKeysClient
        private let caller: OperatorCaller

        init(_ caller: OperatorCaller) {
            self.caller = caller
            signing = SigningKeysClient(caller.client)
            refresh = RefreshKeysClient(caller.client)
        }

        /// A context for one call.
        func context() -> CallContext { caller.context }
    }

    @Option(help: "The file that `postern up` writes.")
    var endpoints = Endpoints.defaultPath

    /// Prints the lines that `ask` returns, or the error.
    func show(_ ask: (Calls) async throws -> [String]) async throws {
        let calls = Calls(try OperatorCaller(endpoints, service: "session"))
        try await OperatorCaller.telling {
            for line in try await ask(calls) { Screen.line(line) }
        }
    }
}
