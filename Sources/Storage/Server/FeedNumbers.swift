/// How a server numbers the rows of a feed.
///
/// The primary key `written` is in the order of the inserts, with gaps. `number` is in the order in
/// which committed rows became visible. The next reader of the feed assigns it, in a flow about the
/// table, so one reader at a time. Flows about one subject do not overlap, so their rows keep their
/// order.
extension Feed {
    /// Rows that one flow numbers: some 20 ms, for which other readers of the feed wait.
    static let numberedAtOnce = 2_000

    /// What makes a feed of a table whose rows are numbered by the engine. Each row is written
    /// twice, so the former versions are cleared away often.
    package var tables: String {
        """
        INSERT INTO feed_head (feed, last)
            SELECT '\(table)', CASE WHEN is_called THEN last_value ELSE 0 END
            FROM \(table)_number_seq;
        ALTER TABLE \(table) DROP CONSTRAINT \(table)_pkey;
        ALTER TABLE \(table)
            ALTER COLUMN number DROP IDENTITY, ALTER COLUMN number DROP NOT NULL;
        ALTER TABLE \(table)
            ADD COLUMN written BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY;
        CREATE UNIQUE INDEX \(table)_number ON \(table) (number);
        CREATE INDEX \(table)_unnumbered ON \(table) (written) WHERE number IS NULL;
        ALTER TABLE \(table) SET (autovacuum_vacuum_scale_factor = 0.02);
        """
    }
}

/// The oldest rows of a feed without a number: the first and the last key, and how many there are.
struct UnnumberedRows: Sendable {
    let first: Int64
    let last: Int64
    let count: Int64
}

extension SQLSession {
    /// The oldest rows without a number, at most `Feed.numberedAtOnce`; nil for none.
    func unnumbered(of feed: Feed) throws -> UnnumberedRows? {
        let found = try queryOne(
            """
            SELECT min(written) AS first, max(written) AS last, count(*) AS rows FROM (
                SELECT written FROM \(feed.table) WHERE number IS NULL
                ORDER BY written LIMIT \(Feed.numberedAtOnce)) AS oldest
            """
        ) { row in
            (
                first: try row.optionalInteger("first"), last: try row.optionalInteger("last"),
                count: try row.integer("rows")
            )
        }
        guard let found, let first = found.first, let last = found.last else { return nil }
        return UnnumberedRows(first: first, last: last, count: found.count)
    }
}

extension Transaction {
    /// Numbers these rows, but for those that another reader has numbered meanwhile. A row between
    /// them that was committed later gets a number too.
    ///
    /// The bounds stand at both places for the planner, which may know the table as it was when it
    /// was empty. The condition on `number` does not: with it both sides would use the index of
    /// rows without a number, and be compared each with each.
    func number(_ rows: UnnumberedRows, of feed: Feed) throws {
        let count = try execute(
            """
            UPDATE \(feed.table) SET number = head.last + found.place
            FROM feed_head AS head, (
                SELECT written, row_number() OVER (ORDER BY written) AS place
                FROM \(feed.table) WHERE number IS NULL AND written BETWEEN ?1 AND ?2
            ) AS found
            WHERE head.feed = ?3 AND \(feed.table).written = found.written
                AND \(feed.table).written BETWEEN ?1 AND ?2
            """,
            [.integer(rows.first), .integer(rows.last), .text(feed.table)])
        guard count > 0 else { return try requireHead(of: feed) }
        try put(
            "UPDATE feed_head SET last = last + ? WHERE feed = ?",
            [.integer(Int64(count)), .text(feed.table)])
    }

    /// Without its row of `feed_head` no row of a feed would ever be read.
    private func requireHead(of feed: Feed) throws {
        let head = try queryOne(
            "SELECT last FROM feed_head WHERE feed = ?", [.text(feed.table)]
        ) { try $0.integer(0) }
        guard head != nil else {
            throw SQLError(.unexpectedValue, detail: "feed_head has no row of \(feed.table)")
        }
    }
}
