package import ServiceRuntime

/// One flow's writes: all or none. Passed to the flow on the writer's thread. Reads include the
/// flow's own writes, and there is no concurrent writer.
package struct Transaction: SQLSession {
    /// The timestamp of this flow: one for all rows it writes.
    package let at: Timestamp
    private let connection: any SQLConnection
    let commit: CommitState

    init(at: Timestamp, connection: any SQLConnection, commit: CommitState) {
        self.at = at
        self.connection = connection
        self.commit = commit
    }

    /// Runs one statement and ignores its rows.
    /// - Returns: the number of rows inserted, changed or deleted.
    /// - Throws: `SQLError`, also when the engine has ended the transaction.
    @discardableResult
    package func execute(_ sql: String, _ values: [SQLValue]) throws -> Int {
        try requireOpen()
        return try connection.execute(sql, values)
    }

    /// Runs one statement and maps each of its rows to a value.
    /// - Throws: `SQLError`, also when the engine has ended the transaction, or what `row` throws.
    package func query<Value>(
        _ sql: String, _ values: [SQLValue], _ row: (SQLRow) throws -> Value
    ) throws -> [Value] {
        try requireOpen()
        return try connection.query(sql, values, row)
    }

    /// A full disk can end a transaction from within a statement. A flow that ignored that error
    /// and continued would write outside any transaction, and half of its writes would persist.
    private func requireOpen() throws {
        guard connection.isInTransaction else {
            throw SQLError(.other, detail: "the engine has ended this transaction")
        }
    }

    /// State shared by the flows of one commit, and what the writer must know of them besides their
    /// rows.
    final class CommitState {
        /// Whether a message was added to the outbox, so that its relay is woken after the commit.
        var hasEnqueued = false
    }
}
