package import ServiceRuntime

/// One flow's writes: all or none. Passed to the flow on the writer's thread. Reads include the
/// flow's own writes, and there is no concurrent writer.
package struct Transaction: SQLSession {
    /// The timestamp of this flow: one for all rows it writes.
    package let at: Timestamp
    private let connection: any SQLConnection
    let notes: TransactionNotes

    init(at: Timestamp, connection: any SQLConnection, notes: TransactionNotes) {
        self.at = at
        self.connection = connection
        self.notes = notes
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
}

/// State shared by the flows of one commit, and what the writer must know of them besides their
/// rows.
final class TransactionNotes {
    /// More than one, so that a table that grew while nothing was purged shrinks again.
    static let rowsPurgedForEachFlow = 4

    /// Number of flows in this commit.
    let flows: Int
    /// Whether a message was added to the outbox, so that its relay is woken after the commit.
    var hasEnqueued = false
    private var purged: [String] = []

    init(flows: Int) {
        self.flows = flows
    }

    /// Records that a flow purges `table`.
    /// - Returns: false when another flow of this commit has done so.
    func notePurge(of table: String) -> Bool {
        guard !purged.contains(table) else { return false }
        purged.append(table)
        return true
    }
}
