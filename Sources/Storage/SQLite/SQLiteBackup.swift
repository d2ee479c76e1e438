import CSQLite
import Glibc

/// Copies one snapshot of a live database into a new file.
///
/// This connection holds one read snapshot for the whole copy. Without it SQLite would restart the
/// copy at each commit of the writer and, under load, never finish. Writers continue; only reuse of
/// the write-ahead log waits.
extension SQLiteConnection {
    /// Pages copied in one step (1 MiB); other threads run between steps.
    private static let pagesAtOnce: Int32 = 256
    /// What a copy leaves free on the disk, in bytes: the log of the store that grows meanwhile.
    /// Otherwise a backup would fill the disk, and all commits would fail.
    private static let freeBytesMin = UInt64(2 * SQLiteEngine.logBytesMax)

    /// See `SQLConnection`.
    func copySnapshot(to path: String, isStopped: () -> Bool) throws {
        precondition(isInTransaction, "a copy is one snapshot")
        try Self.requireSpace(for: try byteCount(), free: try PrivateFile.freeBytes(path))
        let target = try SQLiteConnection(path, flags: SQLITE_OPEN_READWRITE)
        // The copy is made again after a crash, so nothing waits for the disk.
        _ = try target.query("PRAGMA synchronous = OFF") { $0 }
        try copyPages(to: target, isStopped)
        // The snapshot, and with it the log, is released before the check.
        try rollBack()
        // The copy is one file, without a log beside it.
        _ = try target.query("PRAGMA journal_mode = OFF") { $0 }
        try target.markAsCopy()
        // It describes the file that was copied.
        try target.execute("DELETE FROM store_file")
        try target.checkPages(isStopped)
    }

    /// - Throws: `SQLError` of kind `full`.
    static func requireSpace(for bytes: UInt64, free: UInt64) throws {
        let (needed, isTooMuch) = bytes.addingReportingOverflow(freeBytesMin)
        guard !isTooMuch, needed <= free else {
            throw SQLError(
                .full, detail: "a copy for a backup needs \(needed) bytes, and \(free) are free")
        }
    }

    /// The size of the snapshot.
    private func byteCount() throws -> UInt64 {
        let pages = try queryOne("PRAGMA page_count") { try $0.integer(0) } ?? 0
        let pageBytes = try queryOne("PRAGMA page_size") { try $0.integer(0) } ?? 0
        return UInt64(clamping: pages).multipliedReportingOverflow(by: UInt64(clamping: pageBytes))
            .partialValue
    }

    private func copyPages(to target: SQLiteConnection, _ isStopped: () -> Bool) throws {
        guard let backup = sqlite3_backup_init(target.handle, "main", handle, "main") else {
            throw SQLError.sqlite(sqlite3_errcode(target.handle), target.handle)
        }
        var code: Int32
        repeat {
            code = sqlite3_backup_step(backup, Self.pagesAtOnce)
        } while code == SQLITE_OK && !isStopped()
        // `finish` reports the same error, and frees the backup in any case.
        sqlite3_backup_finish(backup)
        if code == SQLITE_OK { throw CancellationError() }
        guard code == SQLITE_DONE else { throw SQLError.sqlite(code, target.handle) }
    }

    /// Reads every page and checks the structure of each table, index and row, and the types of
    /// all values.
    ///
    /// `integrity_check` also looks up each row in each index, which takes eight times as long (52
    /// and 6 s for a million accounts and sessions, 760 MB). The check of a backup that is to be
    /// restored does that, where no service waits for the disk.
    private func checkPages(_ isStopped: () -> Bool) throws {
        if isStopped() { throw CancellationError() }
        let findings = try query("PRAGMA quick_check(1)") { try $0.text(0) }
        guard findings == ["ok"] else {
            throw SQLError(.corrupt, detail: findings.first ?? "the check returned nothing")
        }
    }
}
