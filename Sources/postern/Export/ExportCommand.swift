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

/// The output file of an export: newly created, readable by its owner only.
final class ExportFile {
    private let path: String
    private let descriptor: Int32

    /// - Throws: `ToolError.system` if the file exists.
    init(_ path: String) throws {
        self.path = path
        descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw ToolError.system(path, errno) }
    }

    deinit { close(descriptor) }

    /// Writes the items, and returns after they are on disk.
    /// - Returns: the number of accounts.
    func write(_ items: IncomingItems<IdentityV1.ExportAccountsItem>) async throws -> Int {
        var count = 0
        for try await item in items {
            let lines =
                item.hashParameters.map { RecordLine.text($0) }
                + item.accounts.map { RecordLine.text($0) }
            try write(lines.joined(separator: "\n") + (lines.isEmpty ? "" : "\n"))
            count += item.accounts.count
        }
        guard fsync(descriptor) == 0 else { throw ToolError.system(path, errno) }
        return count
    }

    private func write(_ text: String) throws {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { throw ToolError.system(path, errno) }
            rest = rest.dropFirst(count)
        }
    }
}
