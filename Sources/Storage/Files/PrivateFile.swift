import Glibc
import ServiceRuntime

/// Files and folders that only their owner can read, created and synced durably.
enum PrivateFile {
    /// Creates `path` if it does not exist. SQLite gives the log beside a database the same
    /// permissions.
    ///
    /// An existing file is not opened. Closing it would release the locks that SQLite holds on it
    /// for other connections of this process (fcntl(2), traditional record locks). A shell that
    /// opened and closed the store would then take itself for the last user and delete the log, and
    /// with it what this process commits afterwards.
    static func make(_ path: String) throws {
        let file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if file >= 0 {
            close(file)
        } else {
            guard errno == EEXIST, access(path, R_OK | W_OK) == 0 else { throw failure(path) }
        }
        try sync(Files.folder(of: path))
    }

    /// Creates the empty file `path`, where no file may exist.
    static func create(_ path: String) throws {
        let file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw failure(path) }
        close(file)
    }

    /// Writes all bytes to an open file.
    static func write(_ bytes: [UInt8], to file: Int32, _ path: String) throws {
        guard bytes.withUnsafeBytes({ Files.write($0, to: file) }) else { throw failure(path) }
    }

    /// Reads `count` bytes of an open file from `offset` on, fewer at its end.
    static func read(
        _ count: Int, at offset: Int, from file: Int32, _ path: String
    ) throws -> [UInt8] {
        try [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            let bytes = UnsafeMutableRawBufferPointer(buffer)
            guard let read = Files.read(into: bytes, from: file, at: offset) else {
                throw failure(path)
            }
            filled = read
        }
    }

    /// Removes a file; one that does not exist is no error.
    static func remove(_ path: String) throws {
        guard unlink(path) == 0 || errno == ENOENT else { throw failure(path) }
    }

    /// Sets when an open file was modified, to the millisecond.
    static func setModified(_ moment: Timestamp, of file: Int32, _ path: String) throws {
        let (seconds, rest) = moment.milliseconds.quotientAndRemainder(dividingBy: 1_000)
        let time = timespec(tv_sec: Int(seconds), tv_nsec: Int(rest) * 1_000_000)
        guard futimens(file, [time, time]) == 0 else { throw failure(path) }
    }

    /// When a file was modified, to the millisecond; nil if it does not exist.
    static func modified(_ path: String) throws -> Timestamp? {
        var status = stat()
        guard stat(path, &status) == 0 else {
            guard errno == ENOENT else { throw failure(path) }
            return nil
        }
        let modified = status.st_mtim
        return Timestamp(milliseconds: 0)
            + (Duration.seconds(modified.tv_sec) + .nanoseconds(modified.tv_nsec))
    }

    /// Creates the last folder of `path` if it does not exist; durable on return.
    static func makeFolder(_ path: String) throws {
        guard Files.makeFolder(path) else { throw failure(path) }
    }

    /// Whether others than its owner may read or write the file. One that cannot be examined is not
    /// reported here: opening it fails.
    static func isExposed(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & 0o077 != 0
    }

    /// Syncs the file's content, or the folder's entries, to disk.
    static func sync(_ path: String) throws {
        guard Files.sync(path) else { throw failure(path) }
    }

    /// What this process can still write to the file system of `path`, in bytes.
    static func freeBytes(_ path: String) throws -> UInt64 {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { throw failure(path) }
        let (bytes, isTooMuch) = UInt64(status.f_bavail)
            .multipliedReportingOverflow(by: UInt64(status.f_frsize))
        return isTooMuch ? .max : bytes
    }

    /// The numbers of the files whose paths are `prefix` and a number, ascending.
    static func numbers(after prefix: String) throws -> [UInt64] {
        let start = prefix.split(separator: "/").last ?? ""
        return try names(in: Files.folder(of: prefix)).compactMap { file in
            file.hasPrefix(start) ? UInt64(file.dropFirst(start.count)) : nil
        }.sorted()
    }

    /// The names of a folder's entries, sorted.
    static func names(in folder: String) throws -> [String] {
        guard let names = Files.names(in: folder) else { throw failure(folder) }
        return names
    }

    /// The last part of `path`.
    static func name(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return path }
        return String(path[path.index(after: slash)...])
    }

    /// The current `errno` as an error.
    static func failure(_ path: String) -> SQLError {
        let code = errno
        let kind: SQLError.Kind =
            switch code {
            case ENOSPC, EDQUOT: .full
            case EROFS: .readOnly
            default: .inputOutput
            }
        return SQLError(kind, detail: "\(path): \(String(cString: strerror(code)))")
    }
}
