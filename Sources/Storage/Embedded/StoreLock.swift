import Glibc

/// An exclusive lock on a store for one process, held on `<name>.lock` beside it. It is released in
/// `deinit`, or by the system when the process dies in any way.
///
/// The writer's queue, positions of feeds, duties and the services' memory assume that no other
/// process writes. Two processes on one folder would each be consistent and together corrupt the
/// state.
final class StoreLock: Sendable {
    private let file: Int32

    /// Takes the lock.
    /// - Throws: `StoreError.inUse` when another process, or another store here, holds it;
    ///   `SQLError` when the file cannot be opened or locked.
    init(_ path: String) throws {
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw PrivateFile.failure(path) }
        guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
            let error = errno
            let holder = Self.holder(file)
            close(file)
            errno = error
            guard error == EWOULDBLOCK else { throw PrivateFile.failure(path) }
            throw StoreError.inUse(lock: path, process: holder)
        }
        self.file = file
        writeHolder()
    }

    deinit {
        close(file)
    }

    /// Writes our process id for the error of a process that is refused. A failure does not matter.
    private func writeHolder() {
        let text = Array("\(getpid())\n".utf8)
        _ = ftruncate(file, 0)
        _ = pwrite(file, text, text.count, 0)
    }

    private static func holder(_ file: Int32) -> Int32? {
        var bytes = [UInt8](repeating: 0, count: 16)
        let count = pread(file, &bytes, bytes.count, 0)
        guard count > 0 else { return nil }
        return Int32(String(decoding: bytes[..<count].prefix { $0 != 0x0A }, as: UTF8.self))
    }
}
