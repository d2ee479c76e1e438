package import ServiceRuntime

extension Transaction {
    /// Deletes expired rows from a table when new ones are added, so that the table shrinks while
    /// in use and needs no separate sweep.
    ///
    /// Only one flow of a commit does this, for all of them: a statement that usually finds nothing
    /// costs as much as the row that it accompanies.
    /// - Parameters:
    ///   - table: The table, or another name that identifies these rows.
    ///   - drop: Deletes at most `rowsMax` rows.
    /// - Throws: what `drop` throws.
    package func purge(_ table: String, _ drop: (_ rowsMax: Int64) throws -> Void) rethrows {
        guard notes.notePurge(of: table) else { return }
        try drop(Int64(notes.flows * TransactionNotes.rowsPurgedForEachFlow))
    }

    /// The same for a table with an index on its expiry column: the oldest rows first.
    /// - Parameters:
    ///   - key: The table's key.
    ///   - expiry: The indexed column, in milliseconds.
    ///   - moment: Rows that expire at this moment or before are deleted.
    /// - Throws: `SQLError`.
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
