import ArgumentParser
import Contracts
import Messages
import RPC
import ServiceRuntime

/// `postern export FILE`: all accounts, for another system or another Postern (I-03).
struct ExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Writes all accounts as lines of JSON.",
        discussion: """
            The lines are those that `postern import jsonl` reads; account_id beside them is the \
            account's id here. Guests, and accounts that are being deleted, are left out. The file \
            must not be there yet, and only you can read it.
            """)

    @Argument(help: "The file to make.")
    var file: String

    @Flag(
        help: """
            With the passwords' hashes. Who has the file can guess at all passwords, for as long as \
            they like: keep it sealed, and delete it.
            """)
    var withHashes = false

    @Option(help: "The file that `postern up` writes.")
    var endpoints = Endpoints.defaultPath

    func run() async throws {
        let caller = try OperatorCaller(endpoints, service: "identity")
        let output = try ExportFile(file)
        if withHashes {
            Screen.line("\(file) will hold all passwords' hashes: keep it sealed, and delete it")
        }
        let count = try await OperatorCaller.telling {
            try await output.write(
                ImportsClient(caller.client).exportAccounts(
                    IdentityV1.ExportAccountsRequest(withPasswordHashes: withHashes),
                    caller.client.context(timeout: .seconds(24 * 3_600))))
        }
        Screen.line("\(count) accounts were written to \(file)")
    }
}
