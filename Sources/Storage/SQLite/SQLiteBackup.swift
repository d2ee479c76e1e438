import CSQLite
import Glibc

/// Copies one snapshot of a live database into a new file.
///
/// This connection holds one read snapshot for the whole copy. Without it SQLite would
/// restart the copy at each commit of the writer and, under load, never finish. Writers continue;
/// only reuse of the write-ahead log waits. The copy is renamed to `path` when it is complete and
/// on disk, so a crash leaves at most `….partial`.
extension SQLiteConnection {
    /// Pages copied in one step (1 MiB); other threads run between steps.
    private static let pagesAtOnce: Int32 = 256

    /// Copies the database to `path`, where no file may exist.
    func backUp(to path: String) throws {
        guard access(path, F_OK) != 0 else { throw StoreError.backupExists(path) }
        let partial = path + ".partial"
        unlink(partial)
        do {
            try beginReading()
            // A deferred transaction takes its snapshot at the first read.
            _ = try query("SELECT count(*) FROM sqlite_schema") { $0 }
            try copyPages(to: partial)
            try rollBack()
            try PrivateFile.sync(partial)
            guard rename(partial, path) == 0 else { throw PrivateFile.failure(path) }
            try PrivateFile.sync(PrivateFile.folder(of: path))
        } catch {
            unlink(partial)
            throw error
        }
    }

    private func copyPages(to path: String) throws {
        try PrivateFile.make(path)
        let target = try SQLiteConnection(path, flags: SQLITE_OPEN_READWRITE)
        guard let backup = sqlite3_backup_init(target.handle, "main", handle, "main") else {
            throw SQLError.sqlite(sqlite3_errcode(target.handle), target.handle)
        }
        var code: Int32
        repeat {
            code = sqlite3_backup_step(backup, Self.pagesAtOnce)
            sched_yield()
        } while code == SQLITE_OK
        // `finish` reports the same error, and frees the backup in any case.
        sqlite3_backup_finish(backup)
        guard code == SQLITE_DONE else { throw SQLError.sqlite(code, target.handle) }
        try target.markAsCopy()
    }
}
