import ArgumentParser
import Contracts
import RPC

/// Asks the session service about its keys, and shows what it answers.
struct SessionKeyCaller: ParsableArguments {
    /// What the session service can be asked about its keys.
    struct Calls {
        let signing: SigningKeysClient
        let refresh: RefreshKeysClient
        private let caller: OperatorCaller

        init(_ caller: OperatorCaller) {
            self.caller = caller
            signing = SigningKeysClient(caller.client)
            refresh = RefreshKeysClient(caller.client)
        }

        /// Of one call.
        func context() -> CallContext { caller.context }
    }

    @Option(help: "The file that `postern up` writes.")
    var endpoints = Endpoints.defaultPath

    /// Shows the lines that `ask` makes of the answer, or the error.
    func show(_ ask: (Calls) async throws -> [String]) async throws {
        let calls = Calls(try OperatorCaller(endpoints, service: "session"))
        try await OperatorCaller.telling {
            for line in try await ask(calls) { Screen.line(line) }
        }
    }
}
