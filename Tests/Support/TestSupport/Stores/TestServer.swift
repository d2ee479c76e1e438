import Glibc
package import Storage
import Synchronization

/// A private PostgreSQL for the stores of this process's tests. It is started for the first of
/// them, and ends with the process, also when that is killed. `POSTERN_TEST_SERVER` names the
/// folder of one that runs already.
package final class TestServer: Sendable {
    /// The server, or why there is none.
    package static let shared = Result { try TestServer() }
    /// Threads of a store: with one, flows would never meet.
    static let connections = 4

    private let folder: String
    /// The schemas, by folder and name of their stores.
    private let schemas = Mutex<[String: String]>([:])

    private init() throws {
        if let folder = getenv("POSTERN_TEST_SERVER") {
            self.folder = String(cString: folder)
            return
        }
        let script = CommittedFile.path("Tests/Support/PostgreSQL/server.sh")
        let started = try SystemCommand("bash", [script, "start", "--for", "\(getpid())"])
        guard started.exitCode == 0 else { throw NotStarted(description: started.said) }
        folder = String(started.said.prefix { !$0.isNewline })
    }

    /// The schema of the store `name` in `folder`: a new one, or the one of an earlier call.
    /// - Throws: `StoreError`.
    package func schema(of name: String, in folder: String) throws -> ServerSettings {
        let schema = schemas.withLock { schemas in
            let key = "\(folder)/\(name)"
            if let schema = schemas[key] { return schema }
            let schema = "test_\(getpid())_\(schemas.count)"
            schemas[key] = schema
            return schema
        }
        var settings = try ServerSettings(
            url: "postgres://postgres@/postgres?host=\(self.folder)/socket", schema: schema)
        settings.connections = Self.connections
        settings.durability = .noneForTests
        return settings
    }

    /// The server could not be started.
    package struct NotStarted: Error, CustomStringConvertible {
        package let description: String
    }
}
