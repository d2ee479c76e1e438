import Glibc
import ServiceRuntime

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

/// The name of a backup's file, which has its time: `postern-backup-2026-01-31T090500Z.age`.
/// Without colons, which some file systems refuse. The order of names is the order in time.
struct BackupName: Hashable, Comparable, Sendable {
    private static let prefix = "postern-backup-"
    /// The ending of each backup's file.
    static let suffix = ".age"
    /// Follows the name while the file is being written.
    static let draftSuffix = ".partial"

    /// When the backup was made, in whole seconds.
    let at: Timestamp

    /// The name of a backup that is made now.
    init(at: Timestamp) { self.at = Timestamp(milliseconds: at.seconds * 1_000) }

    /// Nil for a file of another name.
    init?(_ text: String) {
        guard text.hasPrefix(Self.prefix), text.hasSuffix(Self.suffix) else { return nil }
        let time = text.dropFirst(Self.prefix.count).dropLast(Self.suffix.count)
        let digits = time.dropFirst("2026-01-31T".count).dropLast()
        guard let day = Timestamp(date: time.prefix("2026-01-31".count)), digits.count == 6,
            let number = Int64(digits)
        else { return nil }
        let seconds = number / 10_000 * 3_600 + number / 100 % 100 * 60 + number % 100
        self.init(at: day + .seconds(seconds))
        // One spelling for each moment: not 09:60, and no sign.
        guard self.text == text else { return nil }
    }

    /// The file's name.
    var text: String {
        // 2026-01-31T09:05:00.250Z
        let moment = at.text.prefix { $0 != "." }.filter { $0 != ":" }
        return "\(Self.prefix)\(moment)Z\(Self.suffix)"
    }

    static func < (left: BackupName, right: BackupName) -> Bool { left.at < right.at }
}
