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
        guard notes.isFirst(toPurge: table) else { return }
        try drop(Int64(notes.flows * TransactionNotes.rowsPurgedForEachFlow))
    }
}
