import Glibc

/// The files of one journal by generation: a snapshot holds everything up to the start of the log
/// with the same number.
struct JournalFolder {
    let folder: String
    let name: String

    func log(_ generation: UInt64) -> String { "\(folder)/\(name).log.\(generation)" }

    func snapshot(_ generation: UInt64) -> String { "\(folder)/\(name).snapshot.\(generation)" }

    /// Path of a snapshot that is still being written.
    var draft: String { "\(folder)/\(name).snapshot.draft" }

    /// The generations of the logs, ascending.
    func logs() throws -> [UInt64] { try generations("\(name).log.") }

    /// The generations of the snapshots, ascending.
    func snapshots() throws -> [UInt64] { try generations("\(name).snapshot.") }

    /// Removes the files that a snapshot of that generation replaces. A file that cannot be removed
    /// costs space and is removed the next time.
    func removeBefore(_ generation: UInt64) throws {
        for old in try logs() where old < generation { unlink(log(old)) }
        for old in try snapshots() where old < generation { unlink(snapshot(old)) }
    }

    /// Whether the file is empty.
    func isEmpty(_ path: String) throws -> Bool { try size(path) == 0 }

    /// The file's length in bytes.
    func size(_ path: String) throws -> Int {
        var status = stat()
        guard stat(path, &status) == 0 else { throw PrivateFile.failure(path) }
        return Int(status.st_size)
    }

    private func generations(_ prefix: String) throws -> [UInt64] {
        guard let directory = opendir(folder) else { throw PrivateFile.failure(folder) }
        defer { closedir(directory) }
        var found: [UInt64] = []
        while let entry = readdir(directory) {
            let file = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard file.hasPrefix(prefix) else { continue }
            if let number = UInt64(file.dropFirst(prefix.count)) { found.append(number) }
        }
        return found.sorted()
    }
}
