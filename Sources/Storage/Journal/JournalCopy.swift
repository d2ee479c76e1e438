import Glibc

extension Journal {
    /// How often the files are listed again after a snapshot replaced them. A journal
    /// writes a snapshot in seconds at the least, and the files are opened in microseconds.
    private static let opensMax = 10

    /// Opens the files of a journal from which its state can be restored, for a backup, while the
    /// journal writes: the newest snapshot and the logs from it on, with their lengths now. Copies
    /// of the files with these lengths have every change that was flushed before the call. The end
    /// of the newest log may be torn, as after a crash.
    /// - Throws: `SQLError`, of kind `busy` when new snapshots keep replacing the files.
    package static func openFiles(of name: String, in folder: String) throws -> [OpenFile] {
        let place = JournalFolder(folder: folder, name: name)
        for _ in 0..<opensMax {
            if let files = try place.openAll() { return files }
        }
        throw SQLError(.busy, detail: "\(folder)/\(name): new snapshots keep replacing the logs")
    }
}

extension JournalFolder {
    /// Opens the newest snapshot and the logs from it on.
    ///
    /// Files are removed only after a newer snapshot has its name. So if the newest one is still
    /// the same when all files are open, no log from it on was missing from the list. A log that
    /// began meanwhile may be, and with it only later changes.
    /// - Returns: nil when a snapshot replaced them meanwhile.
    fileprivate func openAll() throws -> [OpenFile]? {
        let newest = try snapshots().last
        var paths = newest.map { [snapshot($0)] } ?? []
        paths += try logs().filter { $0 >= newest ?? 0 }.map(log)
        var files: [OpenFile] = []
        for path in paths {
            do {
                files.append(try OpenFile(path))
            } catch {
                // Removed after it was listed, or a failure of the disk.
                guard access(path, F_OK) != 0, errno == ENOENT else { throw error }
                return nil
            }
        }
        return try snapshots().last == newest ? files : nil
    }
}
