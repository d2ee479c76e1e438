import ArgumentParser
import Contracts
import RPC

/// Calls identity's account administration, and prints the responses.
struct AccountAdminCaller: ParsableArguments {
    @Option(help: "Who makes the call, for the audit trail: a name or number; optional.")
    var actor = ""

    @Option(help: "The file that `postern up` writes.")
    var endpoints = Endpoints.defaultPath

    /// Prints the lines of a response, or the error as JSON.
    func show(
        _ ask: (AccountAdminClient, CallContext) async throws -> [String]
    ) async throws {
        try await self.ask { accounts, context in
            for line in try await ask(accounts, context()) { Screen.line(line) }
        }
    }

    /// For several calls, with a context for each; prints an error as JSON.
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
