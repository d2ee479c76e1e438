import Glibc

/// What tells whether a file has changed, without reading it (stat(2)). A process that writes the
/// file can set the modification time, but not the status change time (`ctime`).
package struct FileStamp: Hashable, Sendable {
    private let device: UInt64
    private let inode: UInt64
    private let type: UInt32
    private let modified: Moment
    private let changed: Moment
    /// Its size.
    package let bytes: Int

    private struct Moment: Hashable, Sendable {
        let seconds: Int
        let nanoseconds: Int

        init(_ time: timespec) {
            seconds = Int(time.tv_sec)
            nanoseconds = Int(time.tv_nsec)
        }
    }

    /// Whether it is a regular file.
    package var isRegular: Bool { type == S_IFREG }
    /// Whether it is a folder.
    package var isFolder: Bool { type == S_IFDIR }

    /// The file at `path`, that which a symbolic link leads to; nil where there is none.
    package init?(at path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    /// An open file; nil if it cannot be looked at.
    package init?(of file: Int32) {
        var status = stat()
        guard fstat(file, &status) == 0 else { return nil }
        self.init(status)
    }

    private init(_ status: stat) {
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
        type = status.st_mode & S_IFMT
        bytes = Int(status.st_size)
        modified = Moment(status.st_mtim)
        changed = Moment(status.st_ctim)
    }
}
