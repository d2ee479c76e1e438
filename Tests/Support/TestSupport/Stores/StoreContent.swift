import FoundationEssentials
package import Storage

extension Store {
    /// Where it is on a server; nil for a store in files.
    package var server: ServerSettings? {
        guard case .server(let settings, _, _) = place else { return nil }
        return settings
    }

    /// Runs statements on a connection beside the store's own, without checks of foreign keys, as
    /// on a damaged file: rows may refer to others that do not exist.
    /// - Throws: `SQLError`.
    package func damage(_ script: String) throws {
        if let server {
            let connection = try server.connection(application: "postern-test")
            try connection.run(script: "SET session_replication_role = replica")
            try connection.run(script: TestWords.translated(script))
        } else {
            let connection = try SQLiteEngine().openWriter(location)
            try connection.run(script: "PRAGMA foreign_keys = OFF")
            try connection.run(script: script)
        }
    }

    /// The tables that have a column of this name.
    /// - Throws: as `read`.
    package func tables(with column: String) async throws -> [String] {
        let sql =
            server == nil
            ? """
            SELECT name FROM sqlite_master WHERE type = 'table' AND EXISTS (
                SELECT 1 FROM pragma_table_info(sqlite_master.name) AS columns
                WHERE columns.name = ?)
            """
            : """
            SELECT CAST(table_name AS text) FROM information_schema.columns
            WHERE table_schema = current_schema() AND column_name = ?
            """
        return try await read { try $0.query(sql, [.text(column)]) { try $0.text(0) } }
    }

    /// All that is stored, as a reader of the disk finds it: the files of the store with its log,
    /// or on a server every value of every row. What VACUUM has not yet overwritten there is not
    /// part of it (Sources/SECURITY.md, Erasure).
    /// - Throws: `SQLError`; if a file cannot be read.
    package func storedBytes() throws -> [UInt8] {
        guard let server else {
            // Closing the store deletes the write-ahead log.
            let log = try? Data(contentsOf: URL(filePath: "\(location)-wal"))
            return try Array(Data(contentsOf: URL(filePath: location))) + Array(log ?? Data())
        }
        let connection = try server.connection(application: "postern-test")
        let tables = try connection.query(
            "SELECT tablename FROM pg_tables WHERE schemaname = ?", [.text(server.schema)]
        ) { try $0.text(0) }
        return try tables.flatMap { table in
            try connection.query("SELECT * FROM \(table)", []) { row in
                row.values.flatMap { value -> [UInt8] in
                    switch value {
                    case .null: []
                    case .integer(let number): Array("\(number)".utf8)
                    case .real(let number): Array("\(number)".utf8)
                    case .text(let text): Array(text.utf8)
                    case .blob(let bytes): bytes
                    }
                }
            }.flatMap { $0 }
        }
    }

    /// Makes statements fail from now on: each that does `event` (`BEFORE INSERT ON audit`) to a
    /// row for which `condition` is true.
    /// - Throws: as `write`.
    package func refuse(_ event: String, when condition: String = "true") async throws {
        let failing =
            server == nil
            ? "SELECT RAISE(ABORT, 'full')"
            : "RAISE EXCEPTION USING ERRCODE = '23000', MESSAGE = 'full'"
        try await plant("refused", event, when: condition, failing)
    }

    /// Runs a statement with each that does `event`.
    /// - Throws: as `write`.
    package func plant(
        _ name: String, _ event: String, when condition: String = "true", _ statement: String
    ) async throws {
        let onServer = server != nil
        try await writeUnchecked { transaction in
            guard onServer else {
                return try transaction.put(
                    "CREATE TRIGGER \(name) \(event) WHEN \(condition) BEGIN \(statement); END", [])
            }
            try transaction.put(
                """
                CREATE FUNCTION \(name)() RETURNS trigger LANGUAGE plpgsql
                AS $$ BEGIN \(statement); RETURN NEW; END $$
                """, [])
            try transaction.put(
                """
                CREATE TRIGGER \(name) \(event) FOR EACH ROW WHEN (\(condition))
                EXECUTE FUNCTION \(name)()
                """, [])
        }
    }

    /// Ends what `refuse` or `plant` has begun.
    /// - Throws: as `write`.
    package func unplant(_ name: String = "refused") async throws {
        let sql =
            server == nil ? "DROP TRIGGER \(name)" : "DROP FUNCTION \(name)() CASCADE"
        try await writeUnchecked { try $0.put(sql, []) }
    }
}
