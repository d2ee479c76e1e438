/// A table that others follow, such as the audit trail: a follower reads the rows with a larger
/// `number` than its last one. So rows are numbered in the order of their commits, without gaps,
/// and no number is given twice.
///
/// In a file the engine numbers a row when it is inserted, since there is one writer. On a server a
/// row is inserted without a number: of two flows that run at the same time, the one with the
/// larger number may commit first, and a follower that reads then never reads the other's row. The
/// number follows after the commit (`Store.number`).
package struct Feed: Hashable, Sendable {
    /// The table, which gives the feed its name.
    let table: String

    /// The feed of the rows of `table`.
    package init(_ table: String) {
        self.table = table
    }

    /// The audit trail of every store.
    package static let audit = Feed("audit")
}

extension Store {
    /// Gives numbers to the rows of a feed that were committed before this call. Required before
    /// each reading by number. Who says that it has read all rows up to a moment takes the moment
    /// before this call.
    /// - Throws: as `read` and `write`.
    package func number(_ feed: Feed) async throws {
        guard isOnServer else { return }
        while let rows = try await read({ try $0.unnumbered(of: feed) }) {
            try await write(about: [.table(feed.table)]) { try $0.number(rows, of: feed) }
            if rows.count < Feed.numberedAtOnce { return }
        }
    }
}
