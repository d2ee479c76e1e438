package import ServiceRuntime

/// One flow's writes: all or none. Passed to the flow on the writer's thread. Reads include the
/// flow's own writes, and no other flow about its subjects runs at the same time.
package struct Transaction: SQLSession {
    /// The timestamp of this flow: one for all rows it writes.
    package let at: Timestamp
    /// The store's instance, which holds the messages that this flow enqueues.
    let instance: Int64
    private let connection: any SQLConnection
    let commit: CommitState

    init(at: Timestamp, instance: Int64, connection: any SQLConnection, commit: CommitState) {
        self.at = at
        self.instance = instance
        self.connection = connection
        self.commit = commit
    }

    /// The same transaction through another connection, for tests that stop at each statement.
    /// - Parameter replaced: makes that connection from the transaction's own.
    package init(of other: Transaction, _ replaced: (any SQLConnection) -> any SQLConnection) {
        self.init(
            at: other.at, instance: other.instance, connection: replaced(other.connection),
            commit: other.commit)
    }

    /// Runs one statement and ignores its rows.
    /// - Returns: the number of rows that the statement itself inserted, changed or deleted,
    ///   without those that `ON DELETE CASCADE` deletes.
    /// - Throws: `SQLError`, also when the engine has ended the transaction.
    package func execute(_ sql: String, _ values: [SQLValue]) throws -> Int {
        try requireOpen()
        return try connection.execute(sql, values)
    }

    /// Runs one statement whose rows and count the flow does not need. An engine on a server can
    /// send it together with the next statement, which saves a round trip.
    /// - Throws: `SQLError`, also when the engine has ended the transaction.
    package func put(_ sql: String, _ values: [SQLValue]) throws {
        try requireOpen()
        try connection.put(sql, values, changing: nil)
    }

    /// Changes one row, which the flow has read. Another number fails the flow: where the statement
    /// was sent together with COMMIT, its change remains, but the caller gets no answer to use.
    /// - Throws: `SQLError`, also when the engine has ended the transaction.
    package func putOne(_ sql: String, _ values: [SQLValue]) throws {
        try requireOpen()
        try connection.put(sql, values, changing: 1)
    }

    /// Runs one statement and maps each of its rows to a value.
    /// - Throws: `SQLError`, also when the engine has ended the transaction, or what `row` throws.
    package func query<Value>(
        _ sql: String, _ values: [SQLValue], _ row: (SQLRow) throws -> Value
    ) throws -> [Value] {
        try requireOpen()
        return try connection.query(sql, values, row)
    }

    /// Adds a subject that the flow found by reading. Read it again afterwards: until now another
    /// flow may have changed it.
    /// - Throws: `SQLError`.
    package func lock(_ subject: Subject) throws {
        try requireOpen()
        try connection.lock(subject)
    }

    /// Reads with `find` and locks the subjects of the result. Where there are other writers, it
    /// reads and locks again until two reads in a row have the same result.
    /// - Returns: the result of the last read.
    /// - Throws: `SQLError`, or what `find` throws.
    package func locked<Found: Equatable>(
        _ find: () throws -> Found, about subjects: (Found) -> [Subject]
    ) throws -> Found {
        var found = try find()
        while true {
            for subject in subjects(found) { try lock(subject) }
            guard connection.hasOtherWriters else { return found }
            let again = try find()
            if again == found { return found }
            found = again
        }
    }

    /// As `locked` of several, for one row that may be missing.
    /// - Throws: `SQLError`, or what `find` throws.
    package func locked<Found: Equatable>(
        _ find: () throws -> Found?, about subject: (Found) -> Subject
    ) throws -> Found? {
        try locked(find) { $0.map { [subject($0)] } ?? [] }
    }

    /// Whether this is a restored copy that its service has not settled yet.
    func isMarkedAsCopy() throws -> Bool { try connection.isMarkedAsCopy() }

    /// From this commit on the copy is an ordinary store.
    func forgetCopy() throws { try connection.forgetCopy() }

    /// A full disk can end a transaction from within a statement. A flow that ignored that error
    /// and continued would write outside any transaction, and half of its writes would persist.
    private func requireOpen() throws {
        guard connection.isInTransaction else {
            throw SQLError(.other, detail: "the engine has ended this transaction")
        }
    }

    /// What the writer must know of the flows of one commit besides their rows.
    final class CommitState {
        /// Whether a message was added to the outbox, so that its relay is woken after the commit.
        var hasEnqueued = false
    }
}
