import Glibc

/// What tells that files have changed without reading them: their inodes, sizes and times. A folder
/// stands for the files in it. Links are followed, since a secret store exchanges a link.
struct FileFingerprint: Hashable {
    private struct Entry: Hashable {
        let path: String
        let device: UInt64
        let inode: UInt64
        let size: Int64
        /// When content and attributes were last changed, in nanoseconds.
        let changed: [Int]
    }

    private let entries: [Entry]

    init(of paths: [String]) {
        entries = paths.flatMap(Self.entries)
    }

    private static func entries(_ path: String) -> [Entry] {
        var status = stat()
        guard stat(path, &status) == 0 else { return [] }
        let own = Entry(
            path: path, device: UInt64(status.st_dev), inode: UInt64(status.st_ino),
            size: Int64(status.st_size),
            changed: [
                status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_ctim.tv_sec,
                status.st_ctim.tv_nsec,
            ])
        guard status.st_mode & S_IFMT == S_IFDIR else { return [own] }
        // `try?`: a folder that cannot be listed has no files to tell of; its reader says why.
        let names = (try? FolderListing.fileNames(in: path)) ?? []
        return [own]
            + names.prefix(filesMax).filter { !$0.hasPrefix(".") }.flatMap { name in
                file("\(path)/\(name)")
            }
    }

    /// One file of a folder; folders in it are not followed.
    private static func file(_ path: String) -> [Entry] {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return [] }
        return entries(path)
    }

    /// Files of one folder that are looked at.
    private static let filesMax = 4_096
}
