import CSQLite
import Glibc
import Logging
import ServiceRuntime

/// The one row that a store keeps about its own file: when the file was created, the number of the
/// run, whether a program has the store open, and when it was last backed up.
///
/// By these a store that was copied by hand (`cp`, `rsync`, a backup of files) is recognised at its
/// next start (`StoreFileVerdict`):
/// - Moving a file within a file system keeps the time of its creation, and each copy is a new
///   file.
/// - A copy that is written over the store's file keeps its time. But each start and each close
///   begins another run, and the newest one is also the name of an empty file beside the store,
///   `NAME.run.N`. An older copy has an older number.
///
/// A snapshot of a whole disk is not recognised.
struct StoreFile {
    /// One row. `born_ns` is NULL where the file system does not report it.
    static let table = """
        CREATE TABLE store_file (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            born_ns INTEGER,
            is_open INTEGER NOT NULL,
            run INTEGER NOT NULL DEFAULT 0,
            backed_up_at_ms INTEGER
        ) STRICT;
        """

    /// Whether this is a copy that the service has to settle.
    let isRestoredCopy: Bool
    /// When the last backup was completed; nil if there was none.
    let backedUpAt: Timestamp?

    /// Judges the store's file, and writes the row for a store that is open. Where that fails the
    /// start continues, unless the store is a copy: without its mark it would not be settled.
    /// - Throws: `StoreError.copiedWhileOpen`, `SQLError`.
    init(opening connection: any SQLConnection, _ location: String, logger: Logger) throws {
        Self.warnOfAccess(to: location, logger)
        let row = try connection.storeFile()
        let born = Self.born(location)
        let newest = try Self.runs(of: location).last ?? 0
        let verdict = StoreFileVerdict(
            row: row, bornNs: born, newestRun: newest, isMarked: try connection.isMarkedAsCopy())
        isRestoredCopy = verdict == .restoredCopy
        backedUpAt = row?.backedUpAt
        switch verdict {
        case .original, .restoredCopy: break
        case .unknown:
            logger.warning(
                "store.birth_time.missing",
                """
                the file system does not report when files were created: a copy of this store \
                that is made by hand will not be recognised as one
                """,
                fields: [.file: .text(location)])
        case .copiedWhileOpen: throw StoreError.copiedWhileOpen(location)
        }
        do {
            let run = max(row?.run ?? 0, newest) + 1
            try connection.setOpen(bornNs: born, run: run, marksCopy: isRestoredCopy)
            // A file that is copied without its log must show it too.
            try connection.truncateLog()
            try Self.show(run, of: location)
        } catch {
            guard try !isRestoredCopy || connection.isMarkedAsCopy() else { throw error }
            logger.warning(
                "store.file.unrecorded",
                "a copy of this store that is made by hand may not be recognised as such",
                fields: [.file: .text(location), .detail: .error(error)])
        }
    }

    /// A store that was copied by hand may have got the permissions of another file. Its content is
    /// sealed only in parts, and the log beside it gets the same permissions.
    private static func warnOfAccess(to location: String, _ logger: Logger) {
        guard PrivateFile.isExposed(location) else { return }
        logger.warning(
            "store.file.exposed",
            "others may read or write the store's file: chmod 600 it, its -wal and its -shm",
            fields: [.file: .text(location)])
    }

    /// The last commit of a store that closes.
    static func close(_ connection: any SQLConnection, _ location: String) throws {
        try connection.execute("UPDATE store_file SET is_open = 0, run = run + 1 WHERE id = 1")
        if let run = try connection.storeFile()?.run { try show(run, of: location) }
    }

    /// Creates the file that shows the number of the run, after the commit of the number: a crash
    /// in between leaves a file with a smaller one, which says nothing.
    private static func show(_ run: Int64, of location: String) throws {
        let prefix = runPrefix(location)
        try PrivateFile.make("\(prefix)\(run)")
        // One that cannot be removed does no harm.
        for old in try runs(of: location) where old < run { unlink("\(prefix)\(old)") }
    }

    private static func runs(of location: String) throws -> [Int64] {
        try PrivateFile.numbers(after: runPrefix(location)).compactMap(Int64.init(exactly:))
    }

    private static func runPrefix(_ location: String) -> String {
        "\(location.dropLast(".sqlite".count)).run."
    }

    /// When the file was created, in nanoseconds since 1970; nil where the file system does not
    /// report it.
    static func born(_ path: String) -> Int64? {
        var nanoseconds: Int64 = 0
        return csqlite_file_birth(path, &nanoseconds) == 0 ? nanoseconds : nil
    }

    /// The row.
    struct Row {
        let bornNs: Int64?
        let isOpen: Bool
        let run: Int64
        let backedUpAt: Timestamp?
    }
}

extension SQLConnection {
    fileprivate func storeFile() throws -> StoreFile.Row? {
        try queryOne("SELECT born_ns, is_open, run, backed_up_at_ms FROM store_file WHERE id = 1") {
            StoreFile.Row(
                bornNs: try $0.optionalInteger("born_ns"), isOpen: try $0.boolean("is_open"),
                run: try $0.integer("run"),
                backedUpAt: try $0.optionalTimestamp("backed_up_at_ms"))
        }
    }

    /// A stored time of creation is kept where the file system reports none: the store may later be
    /// on another one again.
    fileprivate func setOpen(bornNs: Int64?, run: Int64, marksCopy: Bool) throws {
        try begin()
        do {
            if marksCopy { try markAsCopy() }
            try execute(
                """
                INSERT INTO store_file (id, born_ns, is_open, run) VALUES (1, ?, 1, ?)
                ON CONFLICT (id) DO UPDATE SET
                    born_ns = coalesce(excluded.born_ns, store_file.born_ns), is_open = 1,
                    run = excluded.run
                """,
                [SQLValue(bornNs), .integer(run)])
            try commit()
        } catch {
            // Report the first error; one from the rollback adds nothing.
            if isInTransaction { try? rollBack() }
            throw error
        }
    }
}
