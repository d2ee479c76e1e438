import ArgumentParser
import Contracts
import Messages
import RPC
import ServiceRuntime

/// `postern export FILE`: exports all accounts, for another system or another Postern (I-03).
struct ExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Writes all accounts as lines of JSON.",
        discussion: """
            The lines have the format of `postern import jsonl`, and in addition account_id, the \
            account's id in this Postern. Guests and accounts that are being deleted are left out. \
            The file must not exist, and only you can read it.
            """)

    @Argument(help: "The file to create.")
    var file: String

    @Flag(
        help: """
            Include password hashes. Anyone who has the file can guess passwords offline without \
            a limit: encrypt it, and delete it after use.
            """)
    var withHashes = false

    @OptionGroup var services: EndpointsOption

    func run() async throws {
        let count = try await services.ask("identity") { caller in
            let output = try ExportFile(file)
            if withHashes {
                Screen.line(
                    "\(file) will contain all password hashes: encrypt it, delete it after use")
            }
            return try await output.write(
                ImportsClient(caller.client).exportAccounts(
                    IdentityV1.ExportAccountsRequest(withPasswordHashes: withHashes),
                    caller.client.context(timeout: .seconds(24 * 3_600))))
        }
        Screen.line("\(count) accounts were written to \(file)")
    }
}
