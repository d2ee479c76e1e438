import Glibc

/// A lock that permits only one `postern up` for a data folder.
///
/// The programs inherit the lock. If `postern up` is killed they drain for a moment and still hold
/// their stores. The next `postern up` waits for them here instead of failing on a store.
final class DataFolderLock {
    /// In seconds; longer than a program may drain.
    private static let patience = 12.0
    private let file: Int32

    /// Takes the lock.
    /// - Throws: `ToolError.inUse` while another `postern up` has the folder.
    init(_ folder: String) throws {
        let path = "\(folder)/up.lock"
        let file = open(path, O_RDWR | O_CREAT, 0o600)  // no O_CLOEXEC: children inherit it
        guard file >= 0 else { throw ToolError.system(path, errno) }
        let deadline = Clock.seconds() + Self.patience
        while flock(file, LOCK_EX | LOCK_NB) != 0 {
            let holder = Self.holder(file)
            guard holder.map({ kill($0, 0) != 0 }) ?? true, Clock.seconds() < deadline else {
                close(file)
                throw ToolError.inUse(folder, holder)
            }
            usleep(20_000)
        }
        self.file = file
        let text = Array("\(getpid())\n".utf8)
        // Only used in the error message of another process, so a failure does not matter.
        _ = ftruncate(file, 0)
        _ = pwrite(file, text, text.count, 0)
    }

    deinit {
        close(file)
    }

    private static func holder(_ file: Int32) -> pid_t? {
        var bytes = [UInt8](repeating: 0, count: 16)
        let count = pread(file, &bytes, bytes.count, 0)
        guard count > 0 else { return nil }
        return pid_t(String(decoding: bytes[..<count].prefix { $0 != 0x0A }, as: UTF8.self))
    }
}
