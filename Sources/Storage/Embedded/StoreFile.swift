import CSQLite
import Glibc
import Logging
import ServiceRuntime

/// The one row that a store keeps about its own file: when the file was created, whether a program
/// has the store open, and when it was last backed up.
///
/// By the first two a store that was copied by hand (`cp`, `rsync`, a backup of files) is
/// recognised at its next start (`StoreFileVerdict`): moving a file within a file system keeps the
/// time of its creation, and each copy is a new file. A copy written over an existing file is not
/// recognised, nor is a snapshot of a whole disk.
struct StoreFile {
    /// One row. `born_ns` is NULL where the file system does not report it.
    static let table = """
        CREATE TABLE store_file (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            born_ns INTEGER,
            is_open INTEGER NOT NULL,
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
        let row = try connection.storeFile()
        let born = Self.born(location)
        let verdict = StoreFileVerdict(
            row: row, bornNs: born, isMarked: try connection.isMarkedAsCopy())
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
            try connection.setOpen(bornNs: born, marksCopy: isRestoredCopy)
            // A file that is copied without its log must show it too.
            try connection.truncateLog()
        } catch {
            guard try !isRestoredCopy || connection.isMarkedAsCopy() else { throw error }
            logger.warning(
                "store.file.unrecorded",
                "a copy of this store that is made while it is open will not be recognised as such",
                fields: [.file: .text(location), .detail: .error(error)])
        }
    }

    /// The last commit of a store that closes.
    static func close(_ connection: any SQLConnection) throws {
        try connection.execute("UPDATE store_file SET is_open = 0 WHERE id = 1")
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
        let backedUpAt: Timestamp?
    }
}

extension SQLConnection {
    fileprivate func storeFile() throws -> StoreFile.Row? {
        try queryOne("SELECT born_ns, is_open, backed_up_at_ms FROM store_file WHERE id = 1") {
            StoreFile.Row(
                bornNs: try $0.optionalInteger("born_ns"), isOpen: try $0.boolean("is_open"),
                backedUpAt: try $0.optionalTimestamp("backed_up_at_ms"))
        }
    }

    /// A stored time of creation is kept where the file system reports none: the store may later be
    /// on another one again.
    fileprivate func setOpen(bornNs: Int64?, marksCopy: Bool) throws {
        try begin()
        do {
            if marksCopy { try markAsCopy() }
            try execute(
                """
                INSERT INTO store_file (id, born_ns, is_open) VALUES (1, ?, 1)
                ON CONFLICT (id) DO UPDATE SET
                    born_ns = coalesce(excluded.born_ns, store_file.born_ns), is_open = 1
                """,
                [SQLValue(bornNs)])
            try commit()
        } catch {
            // Report the first error; one from the rollback adds nothing.
            if isInTransaction { try? rollBack() }
            throw error
        }
    }
}
