import Glibc
package import Storage
import Synchronization

/// A private PostgreSQL for the stores of this process's tests. It is started for the first of
/// them, and ends with the process, also when that is killed. `POSTERN_TEST_SERVER` names the
/// folder of one that runs already.
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
    /// Threads of a store: with one, flows would never meet.
    package static let connections = 4

    private let folder: String
    /// The port by which it listens, and by which its socket is named.
    package let port: Int
    /// The schemas, by folder and name of their stores.
    private let schemas = Mutex<[String: String]>([:])

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

    /// The schema of the store `name` in `folder`: a new one, or the one of an earlier call.
    /// - Throws: `StoreError`.
    package func schema(
        of name: String, in folder: String, database: String = "postgres"
    ) throws -> ServerSettings {
        let schema = schemas.withLock { schemas in
            let key = "\(folder)/\(name)"
            if let schema = schemas[key] { return schema }
            let schema = "test_\(getpid())_\(schemas.count)"
            schemas[key] = schema
            return schema
        }
        var settings = try ServerSettings(url: url(of: database), schema: schema)
        settings.connections = Self.connections
        settings.durability = .noneForTests
        return settings
    }

    /// The URL of a database, by the server's socket.
    package func url(of database: String = "postgres") -> String {
        "postgres://postgres@/\(database)?host=\(folder)/socket&port=\(port)"
    }

    /// The server's socket.
    package var socket: String { "\(folder)/socket/.s.PGSQL.\(port)" }

    /// Runs a statement by psql.
    /// - Returns: its rows, a line each.
    /// - Throws: `NotStarted` with what psql said.
    @discardableResult
    package func run(_ sql: String) throws -> String {
        let command = try SystemCommand(
            "/usr/lib/postgresql/15/bin/psql",
            [
                "--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "--host=\(folder)/socket",
                "--port=\(port)", "--username=postgres", "--dbname=postgres",
                "--set=ON_ERROR_STOP=1", "--command=\(sql)",
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
}
