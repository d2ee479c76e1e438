import Glibc

/// A file that is open for reading, with its length when it was opened. Its content stays readable
/// after the file was removed, until the last reference is gone. What is appended later is not part
/// of it.
package final class OpenFile: Sendable {
    /// The file's name, without its folder.
    package let name: String
    /// Its length, in bytes.
    package let bytes: Int
    private let file: Int32

    /// Opens the file at `path`.
    /// - Parameter name: by default its own.
    /// - Throws: `SQLError`.
    init(_ path: String, name: String? = nil) throws {
        file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw PrivateFile.failure(path) }
        var status = stat()
        guard fstat(file, &status) == 0 else {
            let failure = PrivateFile.failure(path)
            close(file)
            throw failure
        }
        bytes = Int(status.st_size)
        self.name = name ?? PrivateFile.name(of: path)
    }

    deinit { close(file) }

    /// Reads `count` bytes from `offset` on, fewer at the end. Blocks its thread.
    /// - Throws: `SQLError`, also when the file has become shorter.
    package func read(_ count: Int, at offset: Int) throws -> [UInt8] {
        let wanted = max(0, min(count, bytes - offset))
        let read = try PrivateFile.read(wanted, at: offset, from: file, name)
        guard read.count == wanted else {
            throw SQLError(.inputOutput, detail: "\(name): shorter than when it was opened")
        }
        return read
    }
}
