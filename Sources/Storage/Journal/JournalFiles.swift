import Glibc

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
        let file = try DiskFile(path, O_WRONLY | O_CREAT | O_TRUNC)
        try PrivateFile.sync(PrivateFile.folder(of: path))
        return file
    }

    /// See `JournalFiles`.
    /// - Throws: `SQLError`.
    package func open(_ path: String) throws -> any JournalFile {
        try DiskFile(path, O_WRONLY)
    }

    /// See `JournalFiles`.
    /// - Throws: `SQLError`.
    package func rename(_ path: String, to name: String) throws {
        guard Glibc.rename(path, name) == 0 else { throw PrivateFile.failure(path) }
        try PrivateFile.sync(PrivateFile.folder(of: name))
    }
}

private final class DiskFile: JournalFile {
    private let path: String
    private let file: Int32

    init(_ path: String, _ flags: Int32) throws {
        file = open(path, flags | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw PrivateFile.failure(path) }
        self.path = path
    }

    deinit { close(file) }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws {
        var done = 0
        while done < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
            let count = pwrite(file, rest.baseAddress, rest.count, offset + done)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw PrivateFile.failure(path) }
            done += count
        }
    }

    func sync() throws {
        guard fdatasync(file) == 0 else { throw PrivateFile.failure(path) }
    }

    func cut(to length: Int) throws {
        guard ftruncate(file, length) == 0 else { throw PrivateFile.failure(path) }
    }
}
