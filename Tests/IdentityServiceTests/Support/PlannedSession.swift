import Storage

/// The query plans that SQLite reports. Filled on the store's reader thread.
final class WatchedPlans: @unchecked Sendable {
    // Written only on the reader's thread, and read after the reader has returned.
    var lines: [String] = []
}

/// A session that records the query plan of each query before running it.
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
