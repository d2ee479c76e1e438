package import Storage

/// The tables of a store in words that both engines have, a line for each column and each index:
/// `session.id INTEGER NOT NULL`, `session index account where ended_at_ms is null`.
package struct StoreSchema {
    /// The lines, by the beginnings that they share, in which a server's tables differ, and why.
    /// FEED is each table that others follow.
    private static let mayDiffer = [
        "store_place": "a server can be restored with all its schemas",
        "key_checks": "hosts share keys",
        "blob": "what are files elsewhere, in two tables",
        "FEED.number": "assigned by the next reader",
        "FEED.written": "the order of the inserts",
        "FEED unique index written": "its key",
        "FEED index written": "finds the rows without a number",
    ]
    private static let feeds = ["audit", "session_end"]

    private var lines: Set<String> = []

    /// Migrates a new store on each engine.
    /// - Returns: the lines that only one of them has, less those that may differ.
    /// - Throws: `StoreError`, `SQLError`.
    package static func differences(of migrations: [Migration]) async throws -> [String] {
        let (file, server) = (
            try await StoreSchema(onSQLite: migrations), try StoreSchema(onServer: migrations)
        )
        let found =
            file.lines.subtracting(server.lines).map { ("SQLite", $0) }
            + server.lines.subtracting(file.lines).map { ("server", $0) }
        let allowed = mayDiffer.keys.flatMap { beginning in
            feeds.map { beginning.replacing("FEED", with: $0) }
        }
        return found.filter { _, line in !allowed.contains { line.hasPrefix($0) } }
            .map { "only \($0): \($1)" }.sorted()
    }

    /// How many lines may differ.
    package static var differencesCount: Int { mayDiffer.count }

    private init(onSQLite migrations: [Migration]) async throws {
        let folder = try TemporaryFolder()
        let store = try TestStore.open(
            "schema", migrations, in: folder.path, engine: SQLiteEngine())
        defer { store.close() }
        lines = try await store.read { session in
            let tables = try session.query(
                """
                SELECT name FROM sqlite_schema
                WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
                """
            ) { try $0.text(0) }
            let indexes = try session.query(
                "SELECT sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL"
            ) { Self.index(try $0.text(0)) }
            return try Set(indexes).union(
                tables.flatMap { try Self.columns(of: $0, session) + Self.keys(of: $0, session) })
        }
    }

    private static func columns(of table: String, _ session: any SQLSession) throws -> [String] {
        try session.query(
            "SELECT name, type, \"notnull\" OR pk > 0 FROM pragma_table_info(?)", [.text(table)]
        ) {
            column(table, try $0.text(0), try $0.text(1), isRequired: try $0.boolean(2))
        }
    }

    /// The table's key and its unique constraints, which a server has as indexes.
    private static func keys(of table: String, _ session: any SQLSession) throws -> [String] {
        func key(_ sql: String, _ name: String) throws -> String {
            let columns = try session.query(sql, [.text(name)]) { try $0.text(0) }
            return index("CREATE UNIQUE INDEX key ON \(table) (\(columns.joined(separator: ",")))")
        }
        let constraints = try session.query(
            "SELECT name FROM pragma_index_list(?) WHERE origin = 'u'", [.text(table)]
        ) { try $0.text(0) }
        return try [key("SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk", table)]
            + constraints.map { try key("SELECT name FROM pragma_index_info(?)", $0) }
    }

    private init(onServer migrations: [Migration]) throws {
        let folder = try TemporaryFolder()
        let store = try TestStore.openOnServer("schema", migrations, in: folder.path)
        defer { store.close() }
        guard let server = store.server else { return }
        let connection = try server.connection(application: "postern-test")
        let columns = try connection.query(
            """
            SELECT c.relname, a.attname, t.typname, a.attnotnull, coalesce(k.collname, '')
            FROM pg_attribute AS a JOIN pg_class AS c ON c.oid = a.attrelid
            JOIN pg_type AS t ON t.oid = a.atttypid
            LEFT JOIN pg_collation AS k ON k.oid = a.attcollation
            WHERE c.relnamespace = to_regnamespace(?) AND c.relkind = 'r'
              AND a.attnum > 0 AND NOT a.attisdropped
            """, [.text(server.schema)]
        ) { row in
            let (type, collation) = (try row.text(2), try row.text(4))
            let known = ["int8": "INTEGER", "bytea": "BLOB", "text C": "TEXT", "float8": "REAL"]
            let full = collation.isEmpty ? type : "\(type) \(collation)"
            return Self.column(
                try row.text(0), try row.text(1), known[full] ?? full,
                isRequired: try row.boolean(3))
        }
        let indexes = try connection.query(
            """
            SELECT pg_get_indexdef(i.indexrelid) FROM pg_index AS i
            JOIN pg_class AS c ON c.oid = i.indrelid
            WHERE c.relnamespace = to_regnamespace(?)
            """, [.text(server.schema)]
        ) { Self.index(try $0.text(0)) }
        lines = Set(columns + indexes)
    }

    private static func column(
        _ table: String, _ name: String, _ type: String, isRequired: Bool
    ) -> String {
        "\(table).\(name) \(type)\(isRequired ? " NOT NULL" : "")"
    }

    /// The line of an index, by its definition in either engine's words: its name, PostgreSQL's
    /// casts and its many parentheses say nothing.
    private static func index(_ definition: String) -> String {
        let text = definition.lowercased().replacing(/::\w+/, with: "").replacing(
            " using btree", with: "")
        let words = text.split { " \n(),\"".contains($0) }.map(String.init)
        guard let on = words.firstIndex(of: "on"), on + 1 < words.count else { return text }
        let table = words[on + 1].split(separator: ".").last ?? ""
        let unique = words.contains("unique") ? "unique " : ""
        return "\(table) \(unique)index \(words[(on + 2)...].joined(separator: " "))"
    }
}
