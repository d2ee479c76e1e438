/// What runs SQL: a transaction of the writer, or a reader's snapshot. Bound to the thread that
/// lends it, so it must not leave the closure it was lent to.
package protocol SQLSession {
    /// Runs one statement, without using its rows, if any.
    /// - Returns: how many rows it inserted, changed or deleted.
    /// - Throws: `SQLError`.
    @discardableResult
    func execute(_ sql: String, _ values: [SQLValue]) throws -> Int

    /// Runs one statement and turns each row, as it comes, into a value.
    /// - Throws: `SQLError`, or what `row` throws.
    func query<Value>(
        _ sql: String, _ values: [SQLValue], _ row: (SQLRow) throws -> Value
    ) throws -> [Value]
}

extension SQLSession {
    /// Runs one statement that has no parameters.
    @discardableResult
    package func execute(_ sql: String) throws -> Int { try execute(sql, []) }

    /// Runs one statement that has no parameters and turns each row into a value.
    package func query<Value>(
        _ sql: String, _ row: (SQLRow) throws -> Value
    ) throws -> [Value] {
        try query(sql, [], row)
    }

    /// The only row as a value, or nil when there is none.
    /// - Throws: `SQLError` of kind `unexpectedValue` when there are several.
    package func queryOne<Value>(
        _ sql: String, _ values: [SQLValue] = [], _ row: (SQLRow) throws -> Value
    ) throws -> Value? {
        let found = try query(sql, values, row)
        guard found.count <= 1 else {
            throw SQLError(.unexpectedValue, detail: "\(found.count) rows for one: \(sql)")
        }
        return found.first
    }
}
