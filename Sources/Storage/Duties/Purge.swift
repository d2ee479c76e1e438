package import ServiceRuntime

/// A table of rows that expire, and how its expired rows are deleted.
///
/// No flow deletes expired rows of others: instances that share a store would delete the same
/// oldest rows and wait for each other. So nothing may depend on the deletion of an expired row.
/// Each read compares the expiry, and an insert under a unique key deletes or replaces the expired
/// row of that key itself. While the duty does not run, a table grows by one row for each flow that
/// inserts into it, which the rate limits bound; no answer changes.
package struct Purge: Sendable {
    /// Whether there are expired rows.
    let hasExpired: @Sendable (any SQLSession, Timestamp) throws -> Bool
    /// Deletes at most so many expired rows, the oldest first, and returns their number.
    let remove: @Sendable (Transaction, Int) throws -> Int

    /// A table with an index on its column of expiry.
    /// - Parameters:
    ///   - key: The table's key.
    ///   - expiry: The indexed column, in milliseconds. Rows without a value stay.
    ///   - retention: How long a row is kept after the moment in `expiry`.
    package init(_ table: String, key: String, expiry: String, after retention: Duration = .zero) {
        self.init(
            table, key: key, checking: expiry, after: retention,
            expired: """
                SELECT \(key) FROM \(table) WHERE \(expiry) < ?1 ORDER BY \(expiry) LIMIT ?2
                """)
    }

    /// A table without such an index, whose rows expire roughly in the order of their numbers. A
    /// row that expires late also delays the deletion of some rows after it.
    /// - Parameters:
    ///   - number: The table's key, which grows with each insert.
    ///   - expiry: The column of expiry, in milliseconds.
    ///   - retention: How long a row is kept after the moment in `expiry`.
    package init(
        _ table: String, inOrderOf number: String, expiry: String,
        after retention: Duration = .zero
    ) {
        self.init(
            table, key: number, checking: expiry, after: retention,
            expired: """
                SELECT \(number) FROM (
                    SELECT \(number), \(expiry) FROM \(table) ORDER BY \(number) LIMIT ?2) AS oldest
                WHERE \(expiry) < ?1
                """)
    }

    /// Rows that one statement cannot delete.
    /// - Parameters:
    ///   - hasExpired: Whether there are expired rows, by an index.
    ///   - remove: Deletes at most so many of them, and returns the number of deleted rows. A flow
    ///     may renew a row between the search and the deletion, as in the other purges.
    package init(
        hasExpired: @escaping @Sendable (any SQLSession, Timestamp) throws -> Bool,
        remove: @escaping @Sendable (Transaction, Int) throws -> Int
    ) {
        self.hasExpired = hasExpired
        self.remove = remove
    }

    /// The deletion repeats the condition of the search. On a server with several writers it waits
    /// for a flow that renews one of these rows. Then it looks at the renewed row, by the
    /// conditions outside of the subquery only: the subquery is not run again.
    /// - Parameter expired: Selects the keys of rows that expired before `?1`, at most `?2`.
    private init(
        _ table: String, key: String, checking expiry: String, after retention: Duration,
        expired: String
    ) {
        let delete = "DELETE FROM \(table) WHERE \(key) IN (\(expired)) AND \(expiry) < ?1"
        self.init { session, now in
            try session.queryOne(expired, [SQLValue(now - retention), .integer(1)]) { _ in true }
                ?? false
        } remove: { transaction, rowsMax in
            try transaction.execute(
                delete, [SQLValue(transaction.at - retention), .integer(Int64(rowsMax))])
        }
    }

    /// The tables of every store, but for the audit trail, which is cut under a record
    /// (`AuditRetention`).
    static let common = [
        Purge(
            "idempotency", inOrderOf: "number", expiry: "created_at_ms",
            after: IdempotencyTable.retention),
        AuditCounts.purge,
    ]
}

/// Deletes the expired rows of a store's tables. Those of a feed are deleted in the order of their
/// numbers, so the duty numbers the feeds too. It is also why no follower finds many rows without a
/// number.
package struct Purges: Sendable {
    /// The time between two searches. A search is a read; a write follows if rows have expired.
    static let interval: Duration = .seconds(1)
    /// Rows of one table in one transaction: a few milliseconds of the writer, since flows of the
    /// same commit wait for them.
    static let rowsMax = 256

    private let store: Store
    private let feeds: [Feed]
    private let tables: [Purge]
    private let time: any Time

    /// The purge of `tables`, and of the tables that every store has.
    /// - Parameter feeds: The store's feeds beside the audit trail.
    package init(
        of store: Store, _ tables: [Purge], numbering feeds: [Feed] = [], time: any Time
    ) {
        self.store = store
        self.feeds = [.audit] + feeds
        self.tables = Purge.common + tables
        self.time = time
    }

    var duty: Duty { Duty("purge", every: Self.interval, step: step) }

    /// Numbers the feeds, and deletes expired rows, at most `rowsMax` of each table, each table in
    /// its own transaction. What fails keeps no other table from it.
    /// - Returns: whether there may be more.
    /// - Throws: as `Store.read` and `Store.write`: the first failure, after all tables.
    package func step() async throws -> Bool {
        var failure: (any Error)?
        for feed in feeds {
            do {
                try await store.number(feed)
            } catch {
                failure = failure ?? error
            }
        }
        let (tables, now) = (tables, time.now())
        let due = try await store.read { session in
            try tables.filter { try $0.hasExpired(session, now) }
        }
        var isMore = false
        for table in due {
            do {
                let removed = try await store.write(about: [.expired]) { transaction in
                    try table.remove(transaction, Self.rowsMax)
                }
                if removed >= Self.rowsMax { isMore = true }
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
        return isMore
    }
}
