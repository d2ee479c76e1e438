import Storage

/// What the engine says of how it will find rows; filled on the store's reader.
final class WatchedPlans: @unchecked Sendable {
    // Written on the reader's thread alone, and read after that has answered.
    var lines: [String] = []
}

/// A session that asks for the plan of each query before it is run.
struct PlannedSession: SQLSession {
    let session: any SQLSession
    let plans: WatchedPlans

    @discardableResult
    func execute(_ sql: String, _ values: [SQLValue]) throws -> Int {
        try session.execute(sql, values)
    }

    func query<Value>(
        _ sql: String, _ values: [SQLValue], _ row: (SQLRow) throws -> Value
    ) throws -> [Value] {
        plans.lines += try session.query("EXPLAIN QUERY PLAN \(sql)", values) { try $0.text(3) }
        return try session.query(sql, values, row)
    }
}
