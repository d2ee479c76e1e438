/// The database behind a store: SQLite in a file, the only one yet. A store opens one writer and a
/// few readers. What differs between engines is behind this protocol, `SQLConnection` and
/// `StoreBackend`.
package protocol SQLEngine: Sendable {
    /// Opens the database at `location`, and creates it if needed, for the single writer.
    /// - Throws: `SQLError`, or `StoreError.settingNotApplied` when a setting that durability needs
    ///   is not applied.
    func openWriter(_ location: String) throws -> any SQLConnection

    /// Opens the existing database at `location` for reading concurrently with the writer.
    /// - Throws: `SQLError`, or `StoreError.settingNotApplied`.
    func openReader(_ location: String) throws -> any SQLConnection
}

/// A session with transaction control. Used by one thread at a time.
package protocol SQLConnection: AnyObject, SQLSession {
    /// Whether a transaction is open. Some failures, for example a full disk, end it implicitly.
    var isInTransaction: Bool { get }

    /// Begins a write transaction; waits for the lock no longer than the busy timeout.
    /// - Throws: `SQLError`.
    func begin() throws

    /// Begins a read transaction: later reads see one snapshot of the database.
    /// - Throws: `SQLError`.
    func beginReading() throws

    /// Begins one of the transaction's flows, which decides about these subjects.
    /// - Throws: `SQLError`.
    func beginFlow(about subjects: [Subject]) throws

    /// Whether other connections write at the same time, so that what was read before a lock may be
    /// out of date after it.
    var hasOtherWriters: Bool { get }

    /// Adds a subject to the flow's: from now on no other flow about it runs. What was read of it
    /// before may be out of date.
    /// - Throws: `SQLError`.
    func lock(_ subject: Subject) throws

    /// Commits the transaction. A writer's is on disk when this returns.
    /// - Throws: `SQLError`.
    func commit() throws

    /// Rolls back the transaction.
    /// - Throws: `SQLError`.
    func rollBack() throws

    /// Sets a savepoint. One at a time.
    /// - Throws: `SQLError`.
    func setMark() throws

    /// Releases the savepoint; what was done since remains, as part of the transaction.
    /// - Throws: `SQLError`.
    func releaseMark() throws

    /// Rolls back to the savepoint and releases it.
    /// - Throws: `SQLError`.
    func rollBackToMark() throws

    /// Runs one statement whose result is not needed. On a server it is sent together with the
    /// next statement (pipeline mode), which then also reports its error.
    /// - Parameter wanted: rows that it has to change; nil for any number.
    /// - Throws: `SQLError`, of kind `unexpectedValue` for another number of rows.
    func put(_ sql: String, _ values: [SQLValue], changing wanted: Int?) throws

    /// In whose words `run(script:)` expects a schema.
    var dialect: SQLDialect { get }

    /// Whether this is a restored copy that its service has not settled yet.
    /// - Throws: `SQLError`.
    func isMarkedAsCopy() throws -> Bool

    /// Ends the mark of a restored copy.
    /// - Throws: `SQLError`.
    func forgetCopy() throws

    /// Runs several statements, as migrations contain them.
    /// - Throws: `SQLError`.
    func run(script: String) throws

    /// Checkpoints the write-ahead log into the database and truncates it, so that no deleted data
    /// remains there.
    /// - Throws: `SQLError` of kind `busy` when a reader holds the log.
    func truncateLog() throws

    /// Copies the snapshot of the open read transaction into the empty file `path`, marked as a
    /// backup, ends the transaction, and checks every page of the copy. Blocks its thread; writers
    /// continue.
    /// - Parameter isStopped: asked after each step; the copy ends when it returns true.
    /// - Throws: `SQLError`, of kind `corrupt` when a page is damaged; `CancellationError` when it
    ///   was stopped.
    func copySnapshot(to path: String, isStopped: () -> Bool) throws
}

/// Whose words a schema is in. Statements are the same in both.
package enum SQLDialect: Sendable {
    /// SQLite's, in which schemas are written.
    case sqlite
    /// PostgreSQL's, into which they are translated.
    case postgreSQL
}

extension SQLConnection {
    /// See `SQLConnection`. For an embedded engine a statement that waits would save nothing.
    /// - Throws: `SQLError`.
    package func put(_ sql: String, _ values: [SQLValue], changing wanted: Int?) throws {
        try SQLError.require(wanted, changed: try execute(sql, values), by: sql)
    }

    /// Runs one statement that may change any number of rows.
    /// - Throws: `SQLError`.
    package func put(_ sql: String, _ values: [SQLValue]) throws {
        try put(sql, values, changing: nil)
    }

    /// See `SQLConnection`.
    package var dialect: SQLDialect { .sqlite }
}

/// Runs SQL, in the words that SQLite and PostgreSQL 15 share: a transaction of the writer, or a
/// reader's snapshot. It is confined to the thread of the closure that receives it and must not
/// escape that closure.
package protocol SQLSession {
    /// Runs one statement and ignores its rows.
    /// - Returns: the number of rows that the statement itself inserted, changed or deleted,
    ///   without those that `ON DELETE CASCADE` deletes.
    /// - Throws: `SQLError`.
    @discardableResult
    func execute(_ sql: String, _ values: [SQLValue]) throws -> Int

    /// Runs one statement and maps each of its rows to a value.
    /// - Throws: `SQLError`, or what `row` throws.
    func query<Value>(
        _ sql: String, _ values: [SQLValue], _ row: (SQLRow) throws -> Value
    ) throws -> [Value]
}

extension SQLSession {
    /// Runs one statement without parameters.
    /// - Throws: `SQLError`.
    @discardableResult
    package func execute(_ sql: String) throws -> Int { try execute(sql, []) }

    /// Runs one statement without parameters and maps each of its rows to a value.
    /// - Throws: `SQLError`, or what `row` throws.
    package func query<Value>(
        _ sql: String, _ row: (SQLRow) throws -> Value
    ) throws -> [Value] {
        try query(sql, [], row)
    }

    /// The only row as a value, or nil when there is none.
    /// - Throws: `SQLError`, of kind `unexpectedValue` when there are several rows, or what `row`
    ///   throws.
    package func queryOne<Value>(
        _ sql: String, _ values: [SQLValue] = [], _ row: (SQLRow) throws -> Value
    ) throws -> Value? {
        let found = try query(sql, values, row)
        guard found.count <= 1 else {
            throw SQLError(.unexpectedValue, detail: "\(found.count) rows, expected one: \(sql)")
        }
        return found.first
    }
}
