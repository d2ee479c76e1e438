import Glibc

/// Where a backup is written.
enum BackupTarget: Hashable, Sendable {
    /// A file, which must not exist.
    case file(String)
    /// A folder, in which each backup is a file with its time in its name.
    case folder(String)

    /// - Parameter path: a file or a folder; nil for the current folder.
    init(_ path: String?) {
        guard let path else {
            self = .folder(".")
            return
        }
        var status = stat()
        let isFolder = stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
        self = isFolder || path.hasSuffix("/") ? .folder(path) : .file(path)
    }

    /// The file of a backup.
    func path(_ name: BackupName) -> String {
        switch self {
        case .file(let path): path
        case .folder("."): name.text
        case .folder(let path): path.hasSuffix("/") ? path + name.text : "\(path)/\(name.text)"
        }
    }
}
