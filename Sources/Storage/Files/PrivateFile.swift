import Glibc

/// Files and folders that only their owner may read, and that are on disk when we say so.
enum PrivateFile {
    /// Makes `path`, if it is not there. SQLite gives the log beside a database the same rights.
    static func make(_ path: String) throws {
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw failure(path) }
        close(file)
        try sync(folder(of: path))
    }

    /// Makes the last folder of `path`, if it is not there.
    static func makeFolder(_ path: String) throws {
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw failure(path) }
    }

    /// Returns once the file's content, or the folder's list of names, is on disk.
    static func sync(_ path: String) throws {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw failure(path) }
        defer { close(file) }
        guard fsync(file) == 0 else { throw failure(path) }
    }

    /// The folder that `path` stands in.
    static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// What `errno` says, as an error.
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
