import TestSupport
import Testing

@testable import Storage

@Suite("How a server numbers a feed", .enabled(if: TestStore.writers > 1))
struct FeedNumbersTests {
    struct Refused: Error {}

    let folder: TemporaryFolder
    let store: Store

    init() throws {
        folder = try TemporaryFolder()
        store = try Lines.open(folder, connections: 8)
    }

    /// The items after a number, as a follower reads them.
    private func items(of table: String, after number: Int64) async throws -> [Int64] {
        try await store.number(Lines.feed)
        return try await store.read { try $0.lines(of: table, after: number).map(\.item) }
    }

    @Test("a row that is committed after a later one gets a later number, unlike the engine's")
    func late() async throws {
        let latch = Latch()
        async let first: Void = store.write(about: []) { transaction in
            for table in ["line", "plain"] { try transaction.insertLine(1, into: table) }
            try latch.wait()
        }
        await latch.arrival()
        try await store.write(about: []) { transaction in
            for table in ["line", "plain"] { try transaction.insertLine(2, into: table) }
        }
        #expect(try await items(of: "line", after: 0) == [2])
        #expect(try await items(of: "plain", after: 0) == [2])
        latch.open()
        try await first
        #expect(try await items(of: "line", after: 1) == [1])
        // A follower of these numbers has missed it.
        #expect(try await items(of: "plain", after: 2) == [])
        store.close()
    }

    @Test("more rows than one flow numbers, with four readers at once: each is numbered once")
    func many() async throws {
        let doublings = 12
        try await store.write(about: []) { transaction in
            try transaction.insertLine(1, into: "line")
            for _ in 0..<doublings {
                try transaction.put("INSERT INTO line (item) SELECT item FROM line", [])
            }
        }
        try await withThrowingTaskGroup { group in
            for _ in 0..<4 { group.addTask { [store] in try await store.number(Lines.feed) } }
            try await group.waitForAll()
        }
        let lines = try await store.read { try $0.lines(of: "line") }
        #expect(lines.map(\.number) == (1...Int64(1 << doublings)).map { $0 })
        let last = try await store.read { session in
            try session.queryOne("SELECT last FROM feed_head WHERE feed = 'line'") {
                try $0.integer(0)
            }
        }
        #expect(last == lines.last?.number)
        store.close()
    }

    @Test("numbers go on after all rows were deleted, and a flow that failed leaves no gap")
    func numbersGoOn() async throws {
        try await store.write(about: []) { try $0.insertLine(1, into: "line") }
        #expect(try await items(of: "line", after: 0) == [1])
        try await store.write(about: []) { try $0.put("DELETE FROM line", []) }
        await #expect(throws: Refused.self) {
            try await store.write(about: []) { transaction in
                try transaction.insertLine(2, into: "line")
                throw Refused()
            }
        }
        try await store.write(about: []) { try $0.insertLine(3, into: "line") }
        try await store.number(Lines.feed)
        let lines = try await store.read { try $0.lines(of: "line") }
        #expect(lines == [Line(number: 2, item: 3)])
        store.close()
    }

    @Test("a feed without its row of feed_head fails, and does not look as if it had no rows")
    func noHead() async throws {
        try await store.write(about: []) { transaction in
            try transaction.put("DELETE FROM feed_head WHERE feed = 'line'", [])
            try transaction.insertLine(1, into: "line")
        }
        let error = await #expect(throws: SQLError.self) { try await store.number(Lines.feed) }
        #expect(error?.kind == .unexpectedValue)
        store.close()
    }
}
