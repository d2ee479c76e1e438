package import ServiceRuntime

extension Transaction {
    /// Drops what is too old from a table, beside what is new: so the table shrinks while it is used,
    /// and nobody has to sweep it.
    ///
    /// One flow of a commit does it for all: a statement that mostly finds nothing costs as much as
    /// the row that it accompanies.
    /// - Parameters:
    ///   - table: The table, or what else tells these rows from others.
    ///   - drop: Drops so many rows at the most.
    package func purge(_ table: String, _ drop: (_ rowsMax: Int64) throws -> Void) rethrows {
        guard notes.notePurge(of: table) else { return }
        try drop(Int64(notes.flows * TransactionNotes.rowsPurgedForEachFlow))
    }

    /// The same for a table with an index on the moment after which a row is too old: the oldest first.
    /// - Parameters:
    ///   - key: The table's key.
    ///   - expiry: The indexed column, in milliseconds.
    ///   - moment: What expires then or before is too old.
    package func purge(
        _ table: String, key: String, expiry: String, until moment: Timestamp
    ) throws {
        try purge(table) { rowsMax in
            try execute(
                """
                DELETE FROM \(table) WHERE \(key) IN (
                    SELECT \(key) FROM \(table) WHERE \(expiry) <= ? ORDER BY \(expiry) LIMIT ?)
                """,
                [SQLValue(moment), .integer(rowsMax)])
        }
    }
}
