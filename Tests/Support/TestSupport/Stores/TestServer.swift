import Glibc
package import Storage
import Synchronization

/// A private PostgreSQL for the stores of this process's tests. It is started for the first of
/// them, and ends with the process, also when that is killed. `POSTERN_TEST_SERVER` names the
/// folder of one that runs already.
///
/// To make a schema takes ten times as long as to empty one. So a schema is used again by a store
/// with the same name and migrations, once the test that had it is over: its folder is gone, and
/// nothing has its store open.
package final class TestServer: Sendable {
    /// The server, or why there is none.
    package static let shared = Result {
        try TestServer(folder: getenv("POSTERN_TEST_SERVER").map { String(cString: $0) })
    }
    /// A database of that server whose transactions are SERIALIZABLE unless they say otherwise.
    package static let serializable = Result {
        let (server, name) = (try shared.get(), "serializable_\(getpid())")
        try server.run("CREATE DATABASE \(name)")
        try server.run(
            "ALTER DATABASE \(name) SET default_transaction_isolation TO 'serializable'")
        return name
    }
    /// One whose commits wait for the disk, as programs require it, for the system's tests.
    package static let durable = Result { try TestServer(settings: ["fsync=on"]) }
    /// Threads of a store: with one, flows would never meet.
    package static let connections = 4

    private let folder: String
    /// The port by which it listens, and by which its socket is named.
    package let port: Int
    private let schemas = Mutex(Schemas())

    /// - Parameter folder: of one that runs already.
    private init(folder: String?) throws {
        port = 5_432
        self.folder = try folder ?? Self.start([])
    }

    /// A server of a test's own, which it may stop, with other settings than the shared one. It
    /// ends with the process too.
    /// - Parameters:
    ///   - settings: as in postgresql.conf.
    ///   - certificate: the files of a certificate, for TLS at 127.0.0.2 and 127.0.0.3.
    /// - Throws: `NotStarted`; `LoopbackSocket.Refused`.
    package init(
        settings: [String] = [], certificate: (chain: String, key: String)? = nil
    ) throws {
        guard let certificate else {
            port = 5_432
            folder = try Self.start(settings)
            return
        }
        let free = try LoopbackSocket.listening().port
        port = free
        folder = try Self.start(
            ["--tls", certificate.chain, certificate.key, "port=\(free)"]
                + ["listen_addresses='127.0.0.2,127.0.0.3'"] + settings)
    }

    /// The URL of a database, by the server's socket.
    package func url(of database: String = "postgres") -> String {
        "postgres://postgres@/\(database)?host=\(folder)/socket&port=\(port)"
    }

    /// The server's socket.
    package var socket: String { "\(folder)/socket/.s.PGSQL.\(port)" }

    /// Runs a statement by psql.
    /// - Parameter url: of a database of this server; nil for the first one.
    /// - Returns: its rows, a line each.
    /// - Throws: `NotStarted` with what psql said.
    @discardableResult
    package func run(_ sql: String, at url: String? = nil) throws -> String {
        let command = try SystemCommand(
            "/usr/lib/postgresql/15/bin/psql",
            [
                "--no-psqlrc", "--quiet", "--tuples-only", "--no-align",
                "--dbname=\(url ?? self.url())", "--set=ON_ERROR_STOP=1", "--command=\(sql)",
            ], withErrors: true)
        guard command.exitCode == 0 else { throw NotStarted(description: command.said) }
        return command.said
    }

    /// Stops the server, at once or in a mode of pg_ctl.
    /// - Throws: `NotStarted`.
    package func down(_ mode: String = "immediate") throws {
        try Self.script(["down", folder, mode])
    }

    /// Starts it again, and returns when it takes connections.
    /// - Throws: `NotStarted`.
    package func up() throws { try Self.script(["up", folder]) }

    /// Starts a standby of it.
    /// - Throws: `NotStarted`.
    package func startStandby() throws { try Self.script(["standby", folder]) }

    /// Ends the standby.
    /// - Throws: `NotStarted`.
    package func endStandby() throws { try Self.script(["end-standby", folder]) }

    /// Ends the server.
    /// - Throws: `NotStarted`.
    package func end() throws { try Self.script(["stop", folder]) }

    private static func start(_ options: [String]) throws -> String {
        String(try script(["start", "--for", "\(getpid())"] + options).prefix { !$0.isNewline })
    }

    @discardableResult
    private static func script(_ arguments: [String]) throws -> String {
        let script = CommittedFile.path("Tests/Support/PostgreSQL/server.sh")
        let command = try SystemCommand("bash", [script] + arguments)
        guard command.exitCode == 0 else { throw NotStarted(description: command.said) }
        return command.said
    }

    /// The server, or a command of it, did not start.
    package struct NotStarted: Error, CustomStringConvertible {
        package let description: String
    }

    // MARK: Places

    /// A schema of this server, as a store's place.
    /// - Throws: `StoreError`.
    package func settings(
        schema: String, database: String = "postgres"
    ) throws -> ServerSettings {
        var settings = try ServerSettings(url: url(of: database), schema: schema)
        settings.connections = Self.connections
        settings.durability = .noneForTests
        return settings
    }

    /// The URL of the database for programs whose data is in `folder`, as `store-url` takes it: a
    /// new one, or the one of an earlier call. Those whose folders are gone are dropped.
    /// - Throws: `StoreError`, `SQLError`.
    package func database(for folder: String) throws -> String {
        let name = try changing { schemas, connection in
            if let known = schemas.databases[folder] { return known }
            for (former, name) in schemas.databases where access(former, F_OK) != 0 {
                try connection.run(script: "DROP DATABASE \(name) WITH (FORCE)")
                schemas.databases[former] = nil
            }
            schemas.databasesMade += 1
            let name = "programs_\(schemas.databasesMade)"
            try connection.run(script: "CREATE DATABASE \(name)")
            schemas.databases[folder] = name
            return name
        }
        return url(of: name)
    }

    /// The place of the store `name` in `folder`: the one that it has, else one without tables,
    /// which no other store has later.
    /// - Throws: `StoreError`.
    package func schema(
        of name: String, in folder: String, database: String = "postgres"
    ) throws -> ServerSettings {
        let schema = schemas.withLock { schemas in
            if let index = schemas.index(of: name, in: folder, database) {
                return schemas.all[index].schema
            }
            return schemas.add(name, [], in: folder, database, isWorn: true)
        }
        return try settings(schema: schema, database: database)
    }

    // MARK: Stores

    /// Opens the store `name` of `folder` by `open`, in the schema that it had before, else in one
    /// without rows.
    /// - Throws: `StoreError`, `SQLError`, or what `open` throws.
    func open(
        _ name: String, _ migrations: [Migration], in folder: String,
        by open: (ServerSettings) throws -> Store
    ) throws -> Store {
        let schema = try schema(of: name, migrations, in: folder)
        let store = try open(try settings(schema: schema))
        try changing { schemas, connection in
            guard let index = schemas.index(of: schema) else { return }
            schemas.all[index].store = store
            guard schemas.all[index].shape == nil else { return }
            try connection.run(script: SchemaScripts.keep(schema))
            schemas.all[index].shape = try connection.shape(of: schema)
        }
        return store
    }

    /// The schema of the store `name` in `folder`: the one of an earlier call, else one without
    /// rows.
    /// - Throws: `StoreError`, `SQLError`.
    private func schema(
        of name: String, _ migrations: [Migration], in folder: String
    ) throws -> String {
        try changing { schemas, connection in
            if let index = schemas.index(of: name, in: folder, "postgres") {
                // Another version's steps: it is no longer what `migrations` make.
                if schemas.all[index].migrations != migrations { schemas.all[index].isWorn = true }
                return schemas.all[index].schema
            }
            for index in schemas.all.indices where schemas.all[index].isFree(name, migrations) {
                let schema = schemas.all[index].schema
                guard try connection.shape(of: schema) == schemas.all[index].shape else {
                    schemas.all[index].isWorn = true
                    continue
                }
                try connection.run(script: SchemaScripts.empty(schema))
                schemas.all[index].folder = folder
                return schema
            }
            return schemas.add(name, migrations, in: folder, "postgres", isWorn: false)
        }
    }

    /// A schema with a view of each table of `schema`.
    /// - Throws: `StoreError`, `SQLError`.
    func views(of schema: String) throws -> ServerSettings {
        try changing { _, connection in
            try connection.run(script: SchemaScripts.views(of: schema))
        }
        return try settings(schema: "\(schema)_views")
    }

    // MARK: Copies

    /// Gives the store `name` of `folder` the rows that the schema `source` has now.
    /// - Parameter isRestored: as a dump that was restored on another server, which its next start
    ///   recognises; else as what a killed program leaves.
    /// - Throws: `StoreError`, `SQLError`.
    func copy(
        _ source: String, to name: String, in folder: String, isRestored: Bool
    ) throws {
        let migrations = schemas.withLock { schemas in
            schemas.index(of: source).map { schemas.all[$0].migrations } ?? []
        }
        let store = try TestStore.open(name, migrations, in: folder)
        store.close()
        let target = try schema(of: name, migrations, in: folder)
        try changing { _, connection in
            try connection.run(script: SchemaScripts.copy(source, to: target))
            guard isRestored else { return }
            try connection.run(
                script: "UPDATE \"\(target)\".store_place SET system_identifier = 0")
        }
    }

    /// Copies all stores of a folder to another, as what a killed program leaves.
    /// - Throws: `StoreError`, `SQLError`.
    package func copyStores(of folder: String, to other: String) throws {
        let found = schemas.withLock { schemas in
            schemas.all.filter { $0.folder == folder }.map { ($0.schema, $0.name) }
        }
        for (schema, name) in found { try copy(schema, to: name, in: other, isRestored: false) }
    }

    /// Makes the closed store `name` of `folder` the closed store `other`, whose rows are gone.
    func replace(_ other: String, by name: String, in folder: String) {
        schemas.withLock { schemas in
            guard let new = schemas.index(of: name, in: folder, "postgres"),
                let old = schemas.index(of: other, in: folder, "postgres")
            else { return }
            // A schema stays with its name: stores of one name have the same tables.
            schemas.all[old].folder = ""
            schemas.all[old].isWorn = true
            schemas.all[new].name = other
        }
    }

    /// Runs `body` alone, with a connection to no schema.
    private func changing<Value: Sendable>(
        _ body: (inout Schemas, any SQLConnection) throws -> Value
    ) throws -> Value {
        let settings = try settings(schema: "public")
        return try schemas.withLock { schemas in
            let connection =
                try schemas.connection ?? settings.connection(application: "postern-test")
            // Not kept after a failure, which may have ended it.
            schemas.connection = nil
            let value = try body(&schemas, connection)
            schemas.connection = connection
            return value
        }
    }

    /// All schemas. `@unchecked Sendable`: used under its lock.
    private struct Schemas: @unchecked Sendable {
        var connection: (any SQLConnection)?
        var all: [Schema] = []
        /// Databases of programs, by the folder of their data.
        var databases: [String: String] = [:]
        var databasesMade = 0

        func index(of schema: String) -> Int? { all.firstIndex { $0.schema == schema } }

        func index(of name: String, in folder: String, _ database: String) -> Int? {
            all.firstIndex { $0.name == name && $0.folder == folder && $0.database == database }
        }

        /// - Returns: the name of a new one.
        mutating func add(
            _ name: String, _ migrations: [Migration], in folder: String, _ database: String,
            isWorn: Bool
        ) -> String {
            let schema = "test_\(getpid())_\(all.count)"
            all.append(
                Schema(
                    schema: schema, database: database, name: name, migrations: migrations,
                    folder: folder, isWorn: isWorn))
            return schema
        }
    }

    /// A schema, and the store that it is for.
    private struct Schema {
        let schema: String
        let database: String
        var name: String
        let migrations: [Migration]
        var folder: String
        weak var store: Store?
        /// Its tables once they were made; nil before.
        var shape: String?
        /// It has other tables than `migrations` make.
        var isWorn: Bool

        /// Whether a new store of this kind can have it.
        func isFree(_ name: String, _ migrations: [Migration]) -> Bool {
            !isWorn && shape != nil && store == nil && self.name == name
                && self.migrations == migrations && access(folder, F_OK) != 0
        }
    }
}

extension SQLSession {
    /// A text that changes with each table, index, column, constraint and trigger of a schema.
    fileprivate func shape(of schema: String) throws -> String {
        try queryOne(
            """
            SELECT CAST(count(*) AS text) || ' ' || coalesce(CAST(sum(
                    hashtextextended(concat_ws(' ', c.oid, a.attname, a.attnum, a.attnotnull), 0)
                ) AS text), '') || ' ' || (
                SELECT CAST(count(*) AS text) FROM pg_trigger AS t
                JOIN pg_class AS o ON o.oid = t.tgrelid
                WHERE NOT t.tgisinternal AND o.relnamespace = n.oid
            ) || ' ' || (
                SELECT CAST(count(*) AS text) FROM pg_constraint AS k WHERE k.connamespace = n.oid
            )
            FROM pg_namespace AS n JOIN pg_class AS c ON c.relnamespace = n.oid
            JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0
            WHERE n.nspname = ? GROUP BY n.oid
            """, [.text(schema)]
        ) { try $0.text(0) } ?? ""
    }
}
