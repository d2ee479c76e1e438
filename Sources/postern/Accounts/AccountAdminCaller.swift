import ArgumentParser
import Contracts
import RPC

/// Asks identity about accounts, and shows what it answers.
struct AccountAdminCaller: ParsableArguments {
    @Option(help: "Who asks, for the record: a name or number; may be left out.")
    var actor = ""

    @Option(help: "The file that `postern up` writes.")
    var endpoints = Endpoints.defaultPath

    /// Prints the lines of an answer, or the catalogue's error.
    func show(
        _ ask: (AccountAdminClient, CallContext) async throws -> [String]
    ) async throws {
        try await self.ask { accounts, context in
            for line in try await ask(accounts, context()) { Screen.line(line) }
        }
    }

    /// Asks as often as needed, with a context for each call; prints the catalogue's error.
    func ask(
        _ body: (AccountAdminClient, () -> CallContext) async throws -> Void
    ) async throws {
        let caller = try OperatorCaller(endpoints, service: "identity")
        let accounts = AccountAdminClient(caller.client)
        try await OperatorCaller.telling(
            hints: ["account_id": "an account's id is acc_ and thirteen letters and digits"]
        ) {
            try await body(accounts) { caller.context }
        }
    }
}
