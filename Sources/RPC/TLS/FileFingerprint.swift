import Glibc

/// Detects that files have changed without reading them, by inode, size and timestamps. A folder
/// covers the files in it. Symbolic links are followed, because secret stores replace the link.
struct FileFingerprint: Hashable {
    private struct Entry: Hashable {
        let path: String
        let device: UInt64
        let inode: UInt64
        let size: Int64
        /// Times of the last change of content and of attributes: seconds and nanoseconds of each.
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
        // `try?`: a folder that cannot be listed contributes no files; the code that reads it
        // reports the error.
        let names = (try? FolderListing.fileNames(in: path)) ?? []
        return [own]
            + names.prefix(filesMax).filter { !$0.hasPrefix(".") }.flatMap { name in
                file("\(path)/\(name)")
            }
    }

    /// One file of a folder. Subfolders are not followed.
    private static func file(_ path: String) -> [Entry] {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return [] }
        return entries(path)
    }

    /// Number of files of one folder that are checked.
    private static let filesMax = 4_096
}
