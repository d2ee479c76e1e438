import CSQLite

/// One connection to a SQLite file and its prepared statements, closed in `deinit`.
final class SQLiteConnection: SQLConnection {
    /// SQLite's own handle, used by the backup.
    let handle: OpaquePointer
    private var statements = StatementCache()

    /// Opens the file at `path` with `flags` (SQLITE_OPEN_…).
    init(_ path: String, flags: Int32) throws {
        var opened: OpaquePointer?
        // No mutex: a connection is confined to one thread at a time.
        let code = sqlite3_open_v2(
            path, &opened, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
        guard code == SQLITE_OK, let opened else {
            // SQLite returns a handle even on failure, to read the error from.
            let error = SQLError.sqlite(code, opened)
            sqlite3_close_v2(opened)
            throw error
        }
        handle = opened
    }

    deinit {
        statements.empty()
        let code = sqlite3_close(handle)
        assert(code == SQLITE_OK, "a statement outlived its connection")
    }

    /// How long a statement waits for a lock of another connection.
    func setBusyTimeout(_ milliseconds: Int32) throws {
        try SQLError.check(sqlite3_busy_timeout(handle, milliseconds), handle)
    }

    /// Bytes of the file cached in memory; `SQLiteEngine.cacheKiBMax` is the bound.
    var cachedBytes: Int {
        var (now, most): (Int32, Int32) = (0, 0)
        let code = sqlite3_db_status(handle, SQLITE_DBSTATUS_CACHE_USED, &now, &most, 0)
        return code == SQLITE_OK ? Int(now) : 0
    }

    var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    @discardableResult
    func execute(_ sql: String, _ values: [SQLValue]) throws -> Int {
        let before = sqlite3_total_changes64(handle)
        try withStatement(sql, values) { statement in
            while try statement.step() {}
        }
        // `changes` leaves out what ON DELETE CASCADE deletes, which the total counts. After a
        // statement that is no INSERT, UPDATE or DELETE it is still the count of an earlier one.
        return sqlite3_total_changes64(handle) == before ? 0 : Int(sqlite3_changes64(handle))
    }

    func query<Value>(
        _ sql: String, _ values: [SQLValue], _ row: (SQLRow) throws -> Value
    ) throws -> [Value] {
        try withStatement(sql, values) { statement in
            var found: [Value] = []
            while try statement.step() { found.append(try row(try statement.row())) }
            return found
        }
    }

    private func withStatement<Result>(
        _ sql: String, _ values: [SQLValue], _ body: (SQLiteStatement) throws -> Result
    ) throws -> Result {
        let statement = try statement(sql)
        defer { statement.reset() }
        try statement.bind(values)
        return try body(statement)
    }

    private func statement(_ sql: String) throws -> SQLiteStatement {
        if let free = statements.free(sql) { return free }
        let new = try SQLiteStatement(sql, handle)
        statements.insert(new, sql)
        return new
    }

    func run(script: String) throws {
        try SQLError.check(sqlite3_exec(handle, script, nil, nil, nil), handle)
    }

    func begin() throws { try execute("BEGIN IMMEDIATE") }

    func beginReading() throws { try execute("BEGIN DEFERRED") }

    var hasOtherWriters: Bool { false }

    // `BEGIN IMMEDIATE` holds off all other writers, so no subject needs a lock of its own.
    func beginFlow(about subjects: [Subject]) {}

    func lock(_ subject: Subject) {}

    func commit() throws { try execute("COMMIT") }

    func rollBack() throws { try execute("ROLLBACK") }

    func setMark() throws { try execute("SAVEPOINT flow") }

    func releaseMark() throws { try execute("RELEASE flow") }

    func rollBackToMark() throws {
        // `ROLLBACK TO` keeps the savepoint open; `RELEASE` then removes it.
        try execute("ROLLBACK TO flow")
        try execute("RELEASE flow")
    }

    // It blocks the store's writer, and a backup reads for minutes.
    func truncateLog() throws {
        try setBusyTimeout(SQLiteEngine.readerMilliseconds)
        // It cannot fail, as it has just succeeded.
        defer { try? setBusyTimeout(SQLiteEngine.busyMilliseconds) }
        let isHeldUp = try queryOne("PRAGMA wal_checkpoint(TRUNCATE)") { try $0.integer(0) }
        guard isHeldUp == 0 else {
            throw SQLError(.busy, detail: "a reader holds the log")
        }
    }

    /// Prepared statements, cached by their text. A statement in use is not returned, so the same
    /// text used within its own row closure gets a second statement.
    struct StatementCache {
        /// Cached statements; a store has a few dozen different ones, each of 2 to 20 KB.
        static let statementsMax = 128

        private var statements: [Text: SQLiteStatement] = [:]
        private var uses: UInt64 = 0

        /// A statement's text as a key. Every call looks up a dozen texts of hundreds of bytes
        /// each. The hash is only the length, which few texts share; equal lengths are compared,
        /// and equal literals by their address.
        private struct Text: Hashable {
            let sql: String

            func hash(into hasher: inout Hasher) { hasher.combine(sql.utf8.count) }
        }

        /// The cached statement with this text, if it is not in use.
        mutating func free(_ sql: String) -> SQLiteStatement? {
            guard let statement = statements[Text(sql: sql)], !statement.isInUse else { return nil }
            uses &+= 1
            statement.lastUse = uses
            return statement
        }

        /// Caches a new statement, unless one with its text is cached; at the bound, evicts the
        /// least recently used one.
        mutating func insert(_ statement: SQLiteStatement, _ sql: String) {
            let text = Text(sql: sql)
            guard statements[text] == nil else { return }
            if statements.count >= Self.statementsMax,
                let oldest = statements.min(by: { $0.value.lastUse < $1.value.lastUse })
            {
                statements[oldest.key] = nil
            }
            uses &+= 1
            statement.lastUse = uses
            statements[text] = statement
        }

        /// Finalises all statements, which must happen before the connection closes.
        mutating func empty() { statements.removeAll() }
    }
}
