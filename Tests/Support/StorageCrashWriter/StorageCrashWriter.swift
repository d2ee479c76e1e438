import Glibc
import Logging
import ServiceRuntime
import Storage
import TestSupport

/// Writes to a store as fast as it can, and reports on its standard output the number of each write
/// that was acknowledged, until it is killed. `CrashTests` starts it and kills it.
///
/// Each flow writes two rows, `n` and `-n`, so that half a flow can be recognised; every seventh throws
/// after the first of them.
@main
struct StorageCrashWriter {
    static let migrations = [
        Migration(number: 1, sql: "CREATE TABLE entry (number INTEGER PRIMARY KEY) STRICT")
    ]
    static let writers = 8

    struct GaveUp: Error {}

    static func main() async throws {
        guard let folder = CommandLine.arguments.dropFirst().first else { exit(64) }
        let store = try TestStore.open(
            "crash", migrations, in: folder, time: SystemTime(), logger: Logger(label: "crash"))
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

    static func write(to store: Store, from start: Int64) async throws {
        for number in stride(from: start, to: .max, by: writers) {
            do {
                try await store.write(about: []) { transaction in
                    try insert(number, transaction)
                    if number.isMultiple(of: 7) { throw GaveUp() }
                    try insert(-number, transaction)
                }
                report(number)
            } catch is GaveUp {}
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
