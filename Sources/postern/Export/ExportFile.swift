import Glibc
import Messages
import RPC

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
