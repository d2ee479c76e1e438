import Glibc
import ServiceRuntime

/// The file operations that can fail while a journal runs; a protocol, so that tests can simulate a
/// full disk.
package protocol JournalFiles: Sendable {
    /// Creates an empty file, or truncates an existing one, and opens it for writing.
    /// - Throws: `SQLError`.
    func create(_ path: String) throws -> any JournalFile
    /// Opens an existing file for writing.
    /// - Throws: `SQLError`.
    func open(_ path: String) throws -> any JournalFile
    /// Renames a file, durable on return.
    /// - Throws: `SQLError`.
    func rename(_ path: String, to name: String) throws
}

/// A file open for writing.
package protocol JournalFile: Sendable {
    /// Writes all of `bytes` at `offset`.
    /// - Throws: `SQLError`.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws
    /// Syncs what was written to disk.
    /// - Throws: `SQLError`.
    func sync() throws
    /// Truncates the file to `length` bytes.
    /// - Throws: `SQLError`.
    func cut(to length: Int) throws
}

/// The system's files, readable by their owner only.
package struct DiskFiles: JournalFiles {
    /// Uses the system's files.
    package init() {}

    /// See `JournalFiles`.
    /// - Throws: `SQLError`.
    package func create(_ path: String) throws -> any JournalFile {
        let file = try File(path, O_WRONLY | O_CREAT | O_TRUNC)
        try PrivateFile.sync(Files.folder(of: path))
        return file
    }

    /// See `JournalFiles`.
    /// - Throws: `SQLError`.
    package func open(_ path: String) throws -> any JournalFile {
        try File(path, O_WRONLY)
    }

    /// See `JournalFiles`.
    /// - Throws: `SQLError`.
    package func rename(_ path: String, to name: String) throws {
        guard Glibc.rename(path, name) == 0 else { throw PrivateFile.failure(path) }
        try PrivateFile.sync(Files.folder(of: name))
    }

    private final class File: JournalFile {
        private let path: String
        private let file: Int32

        init(_ path: String, _ flags: Int32) throws {
            file = Glibc.open(path, flags | O_CLOEXEC, 0o600)
            guard file >= 0 else { throw PrivateFile.failure(path) }
            self.path = path
        }

        deinit { close(file) }

        func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws {
            guard Files.write(bytes, to: file, at: offset) else { throw PrivateFile.failure(path) }
        }

        func sync() throws {
            guard fdatasync(file) == 0 else { throw PrivateFile.failure(path) }
        }

        func cut(to length: Int) throws {
            guard ftruncate(file, length) == 0 else { throw PrivateFile.failure(path) }
        }
    }
}

/// The files of one journal by generation: a snapshot holds everything up to the start of the log
/// with the same number.
struct JournalFolder {
    let folder: String
    let name: String

    func log(_ generation: UInt64) -> String { "\(folder)/\(name).log.\(generation)" }

    func snapshot(_ generation: UInt64) -> String { "\(folder)/\(name).snapshot.\(generation)" }

    /// Path of a snapshot that is still being written.
    var draft: String { "\(folder)/\(name).snapshot.draft" }

    /// The generations of the logs, ascending.
    func logs() throws -> [UInt64] { try PrivateFile.numbers(after: "\(folder)/\(name).log.") }

    /// The generations of the snapshots, ascending.
    func snapshots() throws -> [UInt64] {
        try PrivateFile.numbers(after: "\(folder)/\(name).snapshot.")
    }

    /// Removes the files that a snapshot of that generation replaces. A file that cannot be removed
    /// costs space and is removed the next time.
    func removeBefore(_ generation: UInt64) throws {
        for old in try logs() where old < generation { unlink(log(old)) }
        for old in try snapshots() where old < generation { unlink(snapshot(old)) }
    }

    /// Whether the file is empty.
    func isEmpty(_ path: String) throws -> Bool { try size(path) == 0 }

    /// The file's length in bytes.
    func size(_ path: String) throws -> Int {
        var status = stat()
        guard stat(path, &status) == 0 else { throw PrivateFile.failure(path) }
        return Int(status.st_size)
    }
}
