import Glibc

/// A copy of a store that no program has open: the operator's tool checks it, and prepares it for
/// the first start of a service on it. Used by one thread.
package final class CopiedStore {
    /// The number of the last migration of the tables that every store has.
    package static var storageSchema: Int { StorageTables.migrations.count }

    /// Lines of damage that are reported; a damaged file can have one for each page.
    private static let damageLinesMax = 10

    private let path: String
    private let connection: any SQLConnection

    /// Opens the copy at `path`. A write-ahead log beside it belongs to it and is read.
    /// - Throws: `StoreError.notAStore`, `StoreError.cannotOpen`.
    package init(_ path: String) throws {
        guard access(path, F_OK) == 0 else {
            throw StoreError.cannotOpen(path, detail: String(cString: strerror(errno)))
        }
        self.path = path
        connection = try StoreError.opening(path) { try SQLiteEngine().openWriter(path) }
    }

    /// Queries on the copy.
    package var session: any SQLSession { connection }

    /// Reads every page, and compares each table with its indexes.
    ///
    /// `integrity_check` and not `quick_check`, which does not notice an index without its row:
    /// such an index would deny a person who has an account.
    /// - Throws: `StoreError.notAStore` with the pages that are damaged.
    package func check() throws {
        let lines = try StoreError.opening(path) {
            try connection.query("PRAGMA integrity_check(\(Self.damageLinesMax))") {
                try $0.text(0)
            }
        }
        guard lines == ["ok"] else {
            throw StoreError.notAStore(path, detail: lines.joined(separator: "; "))
        }
    }

    /// The number of the last migration of each component: `storage`, `service`.
    /// - Throws: `StoreError.notAStore` for a database that is no store.
    package func schema() throws -> [String: Int] {
        try StoreError.opening(path) {
            guard try has("schema_migrations") else {
                throw SQLError(.corrupt, detail: "it has no table schema_migrations")
            }
            return try connection.lastMigrations()
        }
    }

    /// Requires the schema that the migrations of its version make.
    /// - Parameter migrations: of the service.
    /// - Throws: `StoreError.foreignSchema`.
    package func requireSchema(of migrations: [Migration]) throws {
        _ = try StoreError.opening(path) {
            try SchemaCheck(of: connection, at: path, migrations)
        }
    }

    /// The check value of its master key; nil in a store of a version that wrote none.
    /// - Throws: `StoreError`.
    package func keyCheck() throws -> [UInt8]? {
        try StoreError.opening(path) { try has("key_check") ? connection.keyCheck() : nil }
    }

    /// Whether it has the mark of a backup: the next start treats it as a restored copy.
    /// - Throws: `StoreError`.
    package func isMarked() throws -> Bool {
        try StoreError.opening(path) { try connection.isMarkedAsCopy() }
    }

    /// Makes a file that was copied by hand what a backup is: a marked copy that knows nothing of
    /// the file that it was copied from. Its log is moved into it. Durable on return.
    /// - Throws: `StoreError`.
    package func mark() throws {
        try StoreError.opening(path) {
            try connection.begin()
            if try has("store_file") { try connection.execute("DELETE FROM store_file") }
            try connection.markAsCopy()
            try connection.commit()
            try connection.truncateLog()
        }
    }

    private func has(_ table: String) throws -> Bool {
        try connection.queryOne(
            "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?", [.text(table)]
        ) { _ in true } ?? false
    }
}
