import Logging
import ServiceRuntime
import TestSupport

@testable import Storage

/// A table for tests of stores.
enum Entries {
    static let migrations = [
        Migration(
            number: 1,
            sql: """
                CREATE TABLE entry (
                    number INTEGER PRIMARY KEY, name TEXT UNIQUE, body BLOB
                ) STRICT
                """)
    ]

    /// A store of entries in `folder`, with manual time and a captured log.
    static func open(
        _ folder: TemporaryFolder, migrations: [Migration] = migrations,
        engine: (any SQLEngine)? = nil, limits: Store.Limits = Store.Limits(),
        time: ManualTime = ManualTime(), log: CapturedLog = CapturedLog()
    ) throws -> Store {
        try TestStore.open(
            "entries", migrations, in: folder.path, engine: engine, limits: limits, time: time,
            logger: log.logger())
    }
}

extension SQLSession {
    func insertEntry(_ number: Int, name: String? = nil, body: [UInt8]? = nil) throws {
        try execute(
            "INSERT INTO entry (number, name, body) VALUES (?, ?, ?)",
            [.integer(Int64(number)), SQLValue(name), SQLValue(body)])
    }

    /// - Returns: how many entries there are then.
    func countedEntry(_ number: Int) throws -> Int {
        try insertEntry(number)
        return try entries().count
    }

    func entries() throws -> [Int] {
        try query("SELECT number FROM entry ORDER BY number") { Int(try $0.integer(0)) }
    }
}

extension Store {
    /// Holds the writers until `count` writes wait behind them in order, then releases them, so
    /// that on an embedded engine they share a group, and on a server they run at the same time.
    func writeTogether<Value: Sendable>(
        _ count: Int, bulkBytes: Int = 0,
        _ flow: @escaping @Sendable (Int, Transaction) throws -> Value
    ) async -> [Result<Value, any Error>] {
        let latch = Latch()
        let writers = if case .server = place { TestStore.writers } else { 1 }
        async let held: Void = withThrowingTaskGroup { group in
            for _ in 0..<writers {
                group.addTask { [self] in try await write(about: []) { _ in try latch.wait() } }
            }
            try await group.waitForAll()
        }
        await latch.arrival(of: writers)
        let results = await withTaskGroup { group in
            for index in 0..<count {
                group.addTask { [self] in
                    let outcome = await result {
                        try await write(about: [], bulkBytes: bulkBytes) { try flow(index, $0) }
                    }
                    return (index, outcome)
                }
                await untilWaiting(index + 1)
            }
            latch.open()
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        // The transaction that held the writer only waits; its result does not matter here.
        try? await held
        return (0..<count).compactMap { results[$0] }
    }

    /// Returns once `count` transactions wait for the writer.
    func untilWaiting(_ count: Int) async {
        while waitingWrites < count { await Task.yield() }
    }
}

/// The value that `body` returned or the error that it threw.
private func result<Value: Sendable>(
    _ body: () async throws -> Value
) async -> Result<Value, any Error> {
    do {
        return .success(try await body())
    } catch {
        return .failure(error)
    }
}

extension Result {
    var error: (any Error)? { if case .failure(let error) = self { error } else { nil } }
}
