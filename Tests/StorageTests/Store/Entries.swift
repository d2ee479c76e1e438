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
        let held = await holdWriters()
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
            held.latch.open()
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        await held.end()
        return (0..<count).compactMap { results[$0] }
    }

    /// Holds all writers: on an embedded engine the one, on a server each connection, which are the
    /// readers too.
    /// - Parameter bulkBytes: of the flow that holds the first one.
    func holdWriters(bulkBytes: Int = 0) async -> HeldWriters {
        let latch = Latch()
        let writers = server == nil ? 1 : TestStore.writers
        var tasks: [Task<Void, any Error>] = []
        for index in 0..<writers {
            tasks.append(
                Task {
                    try await self.write(
                        about: [.account(Int64(index) + 1)],
                        bulkBytes: index == 0 ? bulkBytes : 0
                    ) { _ in try latch.wait() }
                })
            await latch.arrival(of: index + 1)
        }
        return HeldWriters(latch: latch, tasks: tasks)
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

/// The flows that hold a store's writers until the latch is opened.
struct HeldWriters: Sendable {
    let latch: Latch
    fileprivate let tasks: [Task<Void, any Error>]

    /// Opens the latch and waits for the flows, which only wait: their results do not matter.
    func end() async {
        latch.open()
        for task in tasks { _ = await task.result }
    }
}

extension Result {
    var error: (any Error)? { if case .failure(let error) = self { error } else { nil } }
}
