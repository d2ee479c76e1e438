import CSQLite

/// A store in one SQLite file, with its write-ahead log beside it.
///
/// `synchronous=FULL` syncs each commit to disk before it is acknowledged. It is set, read back,
/// and opening fails if it is not applied, because every durability guarantee depends on it.
package struct SQLiteEngine: SQLEngine {
    /// What a commit waits for.
    package enum Durability: Sendable {
        /// The disk. The only choice for programs.
        case full
        /// Nothing: a power failure may lose or damage data. For measuring the cost of the disk.
        case noneForMeasuring
    }

    /// How long a statement waits for a lock that another process (a shell, a backup tool) holds.
    package static let busyMilliseconds: Int32 = 5_000

    /// How long a truncation of the log waits for readers. Queries take a few milliseconds.
    static let readerMilliseconds: Int32 = 100

    /// Log pages (4 KiB) after which they are moved into the database: 16 MiB, so that a row that
    /// changes often is moved only once (a fifth more writes than with SQLite's default of 1,000).
    package static let logPagesMax = 4_000

    /// The size, in bytes, to which the log is truncated after a burst.
    package static let logBytesMax = 64 << 20

    /// Page cache of a connection, in KiB. SQLite's default of 2 MiB does not hold the inner pages
    /// of the indexes of five million accounts, which each look-up reads.
    ///
    /// A store has three connections, so the bound of a program is 48 MiB. The caches fill with the
    /// pages written and read, and release nothing before the program ends.
    package static let cacheKiBMax = 16 << 10

    private let durability: Durability

    /// An engine whose commits wait for the disk, unless it is for measuring.
    package init(durability: Durability = .full) {
        self.durability = durability
    }

    /// See `SQLEngine`.
    /// - Throws: `SQLError`, or `StoreError.settingNotApplied`.
    package func openWriter(_ location: String) throws -> any SQLConnection {
        try PrivateFile.make(location)
        let connection = try open(location)
        try connection.set("journal_mode", "wal", readsBack: .text("wal"))
        try connection.set("foreign_keys", "ON", readsBack: .integer(1))
        // Deleted rows are overwritten with zeros (Sources/SECURITY.md, Erasure).
        try connection.set("secure_delete", "ON", readsBack: .integer(1))
        try connection.set("wal_autocheckpoint", "\(Self.logPagesMax)")
        try connection.set("journal_size_limit", "\(Self.logBytesMax)")
        switch durability {
        case .full: try connection.set("synchronous", "FULL", readsBack: .integer(2))
        case .noneForMeasuring: try connection.set("synchronous", "OFF", readsBack: .integer(0))
        }
        return connection
    }

    /// See `SQLEngine`.
    /// - Throws: `SQLError`, or `StoreError.settingNotApplied`.
    package func openReader(_ location: String) throws -> any SQLConnection {
        let connection = try open(location)
        try connection.set("query_only", "ON", readsBack: .integer(1))
        return connection
    }

    /// Whether SQLite's memory statistics, which nothing reads, were disabled in time. This is done
    /// once for the process; if it came too late, that costs only speed.
    private static let countsNoMemory = csqlite_count_no_memory() == SQLITE_OK

    private func open(_ location: String) throws -> SQLiteConnection {
        precondition(sqlite3_threadsafe() != 0, "Debian's SQLite is built for threads")
        _ = Self.countsNoMemory
        let connection = try SQLiteConnection(location, flags: SQLITE_OPEN_READWRITE)
        try connection.setBusyTimeout(Self.busyMilliseconds)
        // The schema of the file is untrusted: it may not call functions, nor may the file rewrite
        // itself.
        try connection.set(flag: SQLITE_DBCONFIG_DEFENSIVE, true)
        try connection.set("trusted_schema", "OFF", readsBack: .integer(0))
        // A misspelt column must not be read as a string.
        try connection.set(flag: SQLITE_DBCONFIG_DQS_DML, false)
        try connection.set(flag: SQLITE_DBCONFIG_DQS_DDL, false)
        // Sorting must not write rows to files beside the store.
        try connection.set("temp_store", "MEMORY", readsBack: .integer(2))
        try connection.set("cache_size", "-\(Self.cacheKiBMax)")
        return connection
    }
}

extension SQLiteConnection {
    /// Sets a pragma and, where `readsBack` is given, requires that it is applied.
    fileprivate func set(
        _ pragma: String, _ setting: String, readsBack wanted: SQLValue? = nil
    ) throws {
        _ = try query("PRAGMA \(pragma) = \(setting)") { $0 }
        guard let wanted else { return }
        let found = try queryOne("PRAGMA \(pragma)") { $0.values.first }
        guard found == wanted else {
            throw StoreError.settingNotApplied("\(pragma) = \(setting)")
        }
    }

    fileprivate func set(flag: Int32, _ isOn: Bool) throws {
        try SQLError.check(csqlite_set_flag(handle, flag, isOn ? 1 : 0), handle)
    }
}
