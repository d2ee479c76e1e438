/// Runs SQL: a transaction of the writer, or a reader's snapshot. It is confined to the thread of
/// the closure that receives it and must not escape that closure.
package protocol SQLSession {
    /// Runs one statement and ignores its rows.
    /// - Returns: the number of rows inserted, changed or deleted.
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
