import Glibc

/// The calls on files that can fail while a journal runs; a seam, so that tests can have a full disk.
package protocol JournalFiles: Sendable {
    /// Makes an empty file, or empties it, and opens it for writing.
    func create(_ path: String) throws -> any JournalFile
    /// Opens a file that is there for writing.
    func open(_ path: String) throws -> any JournalFile
    /// Gives a file another name, durable on return.
    func rename(_ path: String, to name: String) throws
}

/// A file that is written.
package protocol JournalFile: Sendable {
    /// Writes all of `bytes` at `offset`.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws
    /// Returns once what was written is on disk.
    func sync() throws
    /// Cuts the file off.
    func cut(to length: Int) throws
}

/// The files of the system, readable by their owner alone.
package struct DiskFiles: JournalFiles {
    /// The system's files.
    package init() {}

    /// See `JournalFiles`.
    package func create(_ path: String) throws -> any JournalFile {
        let file = try DiskFile(path, O_WRONLY | O_CREAT | O_TRUNC)
        try PrivateFile.sync(PrivateFile.folder(of: path))
        return file
    }

    /// See `JournalFiles`.
    package func open(_ path: String) throws -> any JournalFile {
        try DiskFile(path, O_WRONLY)
    }

    /// See `JournalFiles`.
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
