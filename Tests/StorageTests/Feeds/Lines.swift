import Logging
import ServiceRuntime
import TestSupport

@testable import Storage

/// Two tables for tests of feeds: `line` is a feed, and the rows of `plain` have the numbers that
/// the engine gives when they are inserted.
enum Lines {
    static let feed = Feed("line")

    static let migrations = [
        Migration(
            number: 1, sql: table("line") + table("plain"),
            server: table("line") + feed.tables + table("plain"))
    ]

    /// A store of them in `folder`, on a server with so many connections.
    static func open(_ folder: TemporaryFolder, connections: Int) throws -> Store {
        try TestStore.open(
            "lines", migrations, in: folder.path,
            server: TestStore.OnServer(connections: connections))
    }

    private static func table(_ name: String) -> String {
        """
        CREATE TABLE \(name) (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            item INTEGER NOT NULL
        ) STRICT;
        """
    }
}

/// A row of one of the two tables.
struct Line: Hashable {
    let number: Int64
    let item: Int64
}

extension SQLSession {
    func insertLine(_ item: Int64, into table: String) throws {
        try execute("INSERT INTO \(table) (item) VALUES (?)", [.integer(item)])
    }

    /// The rows after a number, in their order.
    func lines(of table: String, after number: Int64 = 0, limit: Int64 = .max) throws -> [Line] {
        try query(
            "SELECT number, item FROM \(table) WHERE number > ? ORDER BY number LIMIT ?",
            [.integer(number), .integer(limit)]
        ) { Line(number: try $0.integer(0), item: try $0.integer(1)) }
    }
}
