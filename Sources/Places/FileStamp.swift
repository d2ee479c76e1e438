import Glibc

/// What tells whether a file has changed, without reading it: a file of cities is too large to be
/// read every two seconds. The time of the last change of the file's state (`ctime`) cannot be set
/// back by whoever writes the file.
package struct FileStamp: Hashable, Sendable {
    private let device: UInt64
    private let inode: UInt64
    let bytes: Int
    let isRegular: Bool
    private let modified: Moment
    private let changed: Moment

    private struct Moment: Hashable, Sendable {
        let seconds: Int
        let nanoseconds: Int

        init(_ time: timespec) {
            seconds = Int(time.tv_sec)
            nanoseconds = Int(time.tv_nsec)
        }
    }

    /// The file at `path`; nil where there is none.
    init?(at path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    /// An open file; nil if it cannot be looked at.
    init?(of file: Int32) {
        var status = stat()
        guard fstat(file, &status) == 0 else { return nil }
        self.init(status)
    }

    private init(_ status: stat) {
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
        bytes = Int(status.st_size)
        isRegular = status.st_mode & S_IFMT == S_IFREG
        modified = Moment(status.st_mtim)
        changed = Moment(status.st_ctim)
    }
}
