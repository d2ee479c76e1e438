/// What keeps a store: SQLite in a file today, a shared server later. A store asks it for one
/// writer and a few readers; all that differs between engines is behind these two protocols.
package protocol SQLEngine: Sendable {
    /// Opens, and if need be makes, the database at `location` for the one writer.
    /// - Throws: `SQLError`, or `StoreError.settingNotInForce` when durability is not what was set.
    func openWriter(_ location: String) throws -> any SQLConnection

    /// Opens the existing database at `location` for reading beside the writer.
    func openReader(_ location: String) throws -> any SQLConnection

    /// Copies the database as it is at one moment into a new file at `path`, durable on return.
    /// Blocks its thread; writers go on.
    func backUp(_ location: String, to path: String) throws
}

/// A session with the verbs of transactions. Used by one thread at a time.
package protocol SQLConnection: AnyObject, SQLSession {
    /// Whether a transaction is open. Some failures (a full disk) end it by themselves.
    var isInTransaction: Bool { get }

    /// Begins a transaction that may write, waiting for the lock no longer than the busy timeout.
    func begin() throws

    /// Begins a snapshot: what follows sees one state of the database.
    func beginReading() throws

    /// Ends the transaction; on return of a writer's it is on disk.
    func commit() throws

    /// Undoes the transaction.
    func rollBack() throws

    /// Opens a nested transaction. One at a time.
    func setMark() throws

    /// Keeps what was done since the mark, as part of the transaction.
    func releaseMark() throws

    /// Undoes what was done since the mark, and forgets the mark.
    func rollBackToMark() throws

    /// Runs several statements, as migrations hold them.
    func run(script: String) throws

    /// Moves the log of recent changes into the database and empties it, so that nothing that was
    /// deleted remains there.
    func truncateLog() throws
}
