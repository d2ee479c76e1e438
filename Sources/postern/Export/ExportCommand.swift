import ArgumentParser
import Contracts
import Glibc
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
            Include password hashes and authenticator apps. Anyone who has the file can guess \
            passwords offline without a limit, and has the codes of the apps: encrypt it, and \
            delete it after use.
            """)
    var withHashes = false

    @OptionGroup var services: EndpointsOption

    func run() async throws {
        let count = try await services.call("identity") { caller in
            let output = try OutputFile(file, flags: O_EXCL)
            if withHashes {
                Screen.line(
                    "\(file) will contain all password hashes and secrets of authenticator apps: "
                        + "encrypt it, delete it after use")
            }
            let items = ImportsClient(caller.client).exportAccounts(
                .init(withPasswordHashes: withHashes),
                caller.client.context(timeout: .seconds(24 * 3_600)))
            return try await Self.write(items, to: output)
        }
        Screen.line("\(count) accounts were written to \(file)")
    }

    /// Writes the items, and returns after they are on disk.
    /// - Returns: the number of accounts.
    static func write(
        _ items: IncomingItems<IdentityV1.ExportAccountsItem>, to output: OutputFile
    ) async throws -> Int {
        var count = 0
        for try await item in items {
            let lines =
                item.hashParameters.map { RecordLine.text($0) }
                + item.accounts.map { RecordLine.text($0) }
            try output.write(lines.joined(separator: "\n") + (lines.isEmpty ? "" : "\n"))
            count += item.accounts.count
        }
        try output.sync()
        return count
    }
}
