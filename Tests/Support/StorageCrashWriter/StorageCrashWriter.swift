import Glibc
import Logging
import ServiceRuntime
import Storage
import TestSupport

/// Writes to a store as fast as it can, and reports on its standard output the number of each write
/// that was acknowledged, until it is killed. `CrashTests` and `ServerCrashTests` start it and kill
/// it.
///
///     StorageCrashWriter FOLDER [URL SCHEMA]
///
/// Each flow writes two rows, `n` and `-n`, so that half a flow can be recognised, and one that was
/// done twice; every seventh throws after the first of them.
@main
struct StorageCrashWriter {
    static let migrations = [
        Migration(
            number: 1,
            sql: "CREATE TABLE entry (id INTEGER PRIMARY KEY, number INTEGER NOT NULL) STRICT")
    ]
    static let writers = 8

    struct GaveUp: Error {}

    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard let folder = arguments.first else { exit(64) }
        let store = try open(folder, Array(arguments.dropFirst()))
        let last = try await store.read { session in
            try session.queryOne("SELECT max(number) FROM entry") { try $0.optionalInteger(0) }
        }
        let start = ((last ?? 0) ?? 0) + 1
        try await withThrowingTaskGroup { group in
            for writer in 0..<writers {
                group.addTask { try await write(to: store, from: start + Int64(writer)) }
            }
            try await group.waitForAll()
        }
    }

    /// Opens the store in the folder, or on a server once that has noticed that the last writer was
    /// killed.
    static func open(_ folder: String, _ server: [String]) throws -> Store {
        guard let url = server.first, let schema = server.last else {
            return try TestStore.open(
                "crash", migrations, in: folder, time: SystemTime(), logger: Logger(label: "crash"))
        }
        var settings = try ServerSettings(url: url, schema: schema)
        settings.durability = .noneForTests
        while true {
            do {
                return try TestStore.open(
                    at: .server(settings, folder: folder, name: "crash"), migrations,
                    time: SystemTime(), logger: Logger(label: "crash"))
            } catch StoreError.inUse {
                usleep(10_000)
            }
        }
    }

    static func write(to store: Store, from start: Int64) async throws {
        for number in stride(from: start, to: .max, by: writers) {
            do {
                try await store.write(about: []) { transaction in
                    try insert(number, transaction)
                    if number.isMultiple(of: 7) { throw GaveUp() }
                    try insert(-number, transaction)
                }
                report(number)
            } catch is GaveUp {
            } catch let error as ServiceError where error.code == .unavailable {
                // Not acknowledged. The server, or another process, has the store.
                try await Task.sleep(for: .milliseconds(10))
            }
        }
    }

    static func insert(_ number: Int64, _ transaction: Transaction) throws {
        try transaction.put("INSERT INTO entry (number) VALUES (?)", [.integer(number)])
    }

    /// One line in one write, which a pipe transfers as a whole.
    static func report(_ number: Int64) {
        let line = Array("\(number)\n".utf8)
        if Glibc.write(STDOUT_FILENO, line, line.count) != line.count { exit(1) }
    }
}
