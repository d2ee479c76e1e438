package import ServiceRuntime

/// One flow's writes: all of them or none. Lent to the flow on the writer's thread; what it reads
/// includes what it wrote, and nobody else writes meanwhile.
package struct Transaction: SQLSession {
    /// When this flow is taken to happen: one moment for all rows it writes.
    package let at: Timestamp
    private let connection: any SQLConnection
    let notes: TransactionNotes

    init(at: Timestamp, connection: any SQLConnection, notes: TransactionNotes) {
        self.at = at
        self.connection = connection
        self.notes = notes
    }

    @discardableResult
    package func execute(_ sql: String, _ values: [SQLValue]) throws -> Int {
        try requireOpen()
        return try connection.execute(sql, values)
    }

    package func query<Value>(
        _ sql: String, _ values: [SQLValue], _ row: (SQLRow) throws -> Value
    ) throws -> [Value] {
        try requireOpen()
        return try connection.query(sql, values, row)
    }

    /// A full disk can end a transaction from within a statement. A flow that swallows that error
    /// and goes on would then write outside any transaction, half of it for good.
    private func requireOpen() throws {
        guard connection.isInTransaction else {
            throw SQLError(.other, detail: "the engine has ended this transaction")
        }
    }
}

/// What the flows of one commit share, and what the writer must know of them besides their rows.
final class TransactionNotes {
    /// More than one: so a table that has grown while nothing was dropped shrinks again.
    static let rowsPurgedForEachFlow = 4

    /// How many flows there are in this commit.
    let flows: Int
    /// Whether a message was put into the outbox, so that its relay is woken after the commit.
    var hasEnqueued = false
    private var purged: [String] = []

    init(flows: Int) {
        self.flows = flows
    }

    /// Notes that a flow purges `table`.
    /// - Returns: false where another one of this commit has.
    func notePurge(of table: String) -> Bool {
        guard !purged.contains(table) else { return false }
        purged.append(table)
        return true
    }
}
