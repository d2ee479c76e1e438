/// A table that followers read in the order of commits: the rows whose `position` is larger than
/// the last one that they have. Positions have no gaps, are never given twice, and survive restarts
/// and purges. The raw value is the table's name, and its key in `feed_head`.
///
/// A number from a sequence is not enough for that. Of two transactions that run at the same time,
/// the one with the larger number may commit first. A follower that has read it never asks for the
/// other: with 32 writers on PostgreSQL it missed 31 % of the ends of sessions.
///
/// | rows are written by | their position is given |
/// |---|---|
/// | one writer (the embedded engine) | with the row: the order of insertion is that of commits |
/// | several writers (a server, no engine yet) | after the commit by a sequencer; null until then |
///
/// A flow does not learn the position of its row, because on a server it is given later. Followers
/// never see a row without one: null is not larger than any position.
///
/// A sequencer is a short transaction that any process may run. It locks the feed's row of
/// `feed_head` (`FOR UPDATE SKIP LOCKED`: if another one holds it, that one does the work), calls
/// `givePositions(in:after:)` and stores the new head. On the embedded engine that statement serves
/// only for rows that were written many at a time or by an older program. For each group it is too
/// slow: SQLite's part of a refresh takes 1.7 times as long in a group of 128, and 4 times as long
/// alone. With the position in the insert it takes 1.06 and 1.3 times as long.
package enum Feed: String, CaseIterable, Sendable {
    /// The audit trail, in every store.
    case audit
    /// Ends of sessions, in the store of the session service.
    case revocations = "session_end"
    /// Events for webhooks, in the store of the notification service. One task writes them, and its
    /// transaction needs the positions, since deliveries refer to them: see `takePosition`.
    case webhookEvents = "event"

    /// The table, and the column that numbers its rows as they are inserted.
    fileprivate var columns: (table: String, number: String) {
        switch self {
        case .audit: ("audit", "number")
        case .revocations: ("session_end", "number")
        case .webhookEvents: ("event", "position")
        }
    }

    /// Rows that one statement gives positions to.
    static let rowsAtOnce = 2_000

    /// `last` is the largest position that was ever given. Rows from before the table have their
    /// number as their position, and `sqlite_sequence` has the largest number, also if that row was
    /// deleted. The indexes are made while they are empty: to sort a long trail takes memory.
    static let table = """
        CREATE TABLE feed_head (
            feed TEXT NOT NULL PRIMARY KEY,
            last INTEGER NOT NULL
        ) STRICT;
        INSERT INTO feed_head (feed, last) VALUES (
            'audit', coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'audit'), 0));
        ALTER TABLE audit ADD COLUMN position INTEGER;
        CREATE UNIQUE INDEX audit_position ON audit (position) WHERE position IS NOT NULL;
        UPDATE audit SET position = number;
        CREATE INDEX audit_unpositioned ON audit (number) WHERE position IS NULL;
        """
}

/// A position for each feed, or none. Each flow keeps a copy, for which a dictionary would allocate
/// memory.
struct FeedHeads {
    private var audit: Int64?
    private var revocations: Int64?
    private var webhookEvents: Int64?

    subscript(feed: Feed) -> Int64? {
        get {
            switch feed {
            case .audit: audit
            case .revocations: revocations
            case .webhookEvents: webhookEvents
            }
        }
        set {
            switch feed {
            case .audit: audit = newValue
            case .revocations: revocations = newValue
            case .webhookEvents: webhookEvents = newValue
            }
        }
    }
}

extension SQLSession {
    /// The largest position that was ever given in a feed; 0 before the first. For readers: a flow
    /// does not see what its own group has given.
    /// - Throws: `SQLError`, also when the store has no such feed.
    package func lastPosition(in feed: Feed) throws -> Int64 {
        let last = try queryOne(
            "SELECT last FROM feed_head WHERE feed = ?", [.text(feed.rawValue)]
        ) { try $0.integer(0) }
        guard let last else {
            throw SQLError(.unexpectedValue, detail: "feed_head has no row \(feed.rawValue)")
        }
        return last
    }

    /// Gives positions to all rows without one, in the order of their numbers.
    /// - Returns: the feed's last position.
    fileprivate func givePositions(in feed: Feed, after last: Int64) throws -> Int64 {
        let (table, number) = feed.columns
        var last = last
        while true {
            let given = try execute(
                """
                UPDATE \(table) SET position = given.position FROM (
                    SELECT \(number) AS number,
                        ? + row_number() OVER (ORDER BY \(number)) AS position
                    FROM \(table) WHERE position IS NULL ORDER BY \(number) LIMIT ?) AS given
                WHERE \(table).\(number) = given.number
                """,
                [.integer(last), .integer(Int64(Feed.rowsAtOnce))])
            last += Int64(given)
            if given < Feed.rowsAtOnce { return last }
        }
    }

    /// Stores a feed's last position.
    func setLastPosition(_ last: Int64, in feed: Feed) throws {
        try execute(
            "UPDATE feed_head SET last = ? WHERE feed = ?", [.integer(last), .text(feed.rawValue)])
    }
}

extension Transaction {
    /// The value for `position` in the statement that inserts one row into a feed. Each call gives
    /// the next position, so it belongs to exactly one insert. A flow that throws gives it back.
    /// - Throws: `SQLError`.
    package func position(in feed: Feed) throws -> SQLValue {
        let position = try head(of: feed) + 1
        commit.heads[feed] = position
        return .integer(position)
    }

    /// Gives positions to rows that this flow inserted without one, with an `INSERT … SELECT`.
    /// - Throws: `SQLError`.
    package func givePositions(in feed: Feed) throws {
        commit.heads[feed] = try givePositions(in: feed, after: head(of: feed))
    }

    /// Takes the next position of a feed that a single task writes, for a flow that needs to know
    /// it. On a server too: the row of `feed_head` stays locked until the flow commits, so flows
    /// that take positions in the same feed wait for each other. Not for feeds of concurrent flows.
    /// - Throws: `SQLError`.
    package func takePosition(in feed: Feed) throws -> Int64 {
        let position = try queryOne(
            "UPDATE feed_head SET last = last + 1 WHERE feed = ? RETURNING last",
            [.text(feed.rawValue)]
        ) { try $0.integer(0) }
        guard let position else {
            throw SQLError(.unexpectedValue, detail: "feed_head has no row \(feed.rawValue)")
        }
        return position
    }

    /// The last position, including those that this group has given.
    private func head(of feed: Feed) throws -> Int64 {
        try commit.heads[feed] ?? lastPosition(in: feed)
    }
}

extension SQLConnection {
    /// Continues the feeds of a store on which an older program ran after this one: that program
    /// numbers its rows, gives them no positions, and its followers took the numbers for positions.
    /// Called when the embedded engine opens a store, before anything is read. Without such rows
    /// nothing is written.
    ///
    /// The rows get positions that equal their numbers, as far as no larger one was given. So the
    /// followers of the older program miss nothing and get nothing twice.
    /// - Throws: `SQLError`.
    func continueFeeds() throws {
        let feeds = try query("SELECT feed FROM feed_head") { try $0.text(0) }
        // Feeds that only a newer program knows are left as they are.
        for feed in feeds.compactMap(Feed.init(rawValue:)) {
            let last = try lastPosition(in: feed)
            let first = try positionBeforeOlderRows(of: feed)
            guard first.rows > 0 || first.position > last else { continue }
            try begin()
            do {
                let given = try givePositions(in: feed, after: max(last, first.position))
                try setLastPosition(given, in: feed)
                try commit()
            } catch {
                // Report the first error; one from the rollback adds nothing.
                if isInTransaction { try? rollBack() }
                throw error
            }
        }
    }

    /// How many rows have no position, and the number before the first of them: numbers have no
    /// gaps here, and only the oldest rows are ever deleted.
    private func positionBeforeOlderRows(of feed: Feed) throws -> (rows: Int64, position: Int64) {
        let (table, number) = feed.columns
        let rows =
            try queryOne("SELECT count(*) FROM \(table) WHERE position IS NULL") {
                try $0.integer(0)
            } ?? 0
        let newest =
            try queryOne("SELECT max(\(number)) FROM \(table)") {
                try $0.optionalInteger(0)
            } ?? nil
        return (rows, max(0, (newest ?? 0) - rows))
    }
}
