import Logging
import ServiceRuntime
import Synchronization
import TestSupport
import Testing

@testable import Storage

@Suite("A store on a server", .enabled(if: TestStore.writers > 1))
struct ServerStoreTests {
    let folder: TemporaryFolder
    let store: Store

    init() throws {
        folder = try TemporaryFolder()
        store = try Entries.open(folder)
    }

    /// A connection to the store's schema beside the store's own.
    private func connection() throws -> ServerConnection {
        try ServerConnection(try #require(store.server), application: "postern-test")
    }

    /// Ends all connections of the store but the one of its link.
    private func cut(_ query: String) throws {
        _ = try connection().query(
            """
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE application_name LIKE 'postern-entries/%' AND query LIKE ?
              AND application_name = ?
            """, [.text(query), .text("postern-entries/\(store.instance)")]) { $0 }
    }

    @Test("a second instance on one schema is refused, as a second process on a folder")
    func secondInstance() throws {
        let error = #expect(throws: StoreError.self) { try Entries.open(folder) }
        guard case .inUse = error else {
            Issue.record("another error: \(String(describing: error))")
            return
        }
        store.close()
        try Entries.open(folder).close()
    }

    @Test("flows about one subject do not overlap, others do")
    func subjects() async throws {
        try await store.write(about: []) { try $0.insertEntry(1, name: "0") }
        try await withThrowingTaskGroup { group in
            for _ in 0..<100 {
                group.addTask { [store] in
                    try await store.write(about: [.row("entry", 1)]) { transaction in
                        // A lost update, if another flow writes between the two.
                        let name = try transaction.queryOne("SELECT name FROM entry") {
                            try $0.text(0)
                        }
                        let next = (Int(name ?? "") ?? 0) + 1
                        try transaction.put("UPDATE entry SET name = ?", [.text("\(next)")])
                    }
                }
            }
            try await group.waitForAll()
        }
        let name = try await store.read { session in
            try session.queryOne("SELECT name FROM entry") { try $0.text(0) }
        }
        #expect(name == "100")
        // Four wait for each other.
        let latch = Latch()
        async let held: Void = withThrowingTaskGroup { group in
            for row in 0..<Int64(TestStore.writers) {
                group.addTask { [store] in
                    try await store.write(about: [.row("entry", row)]) {
                        _ = try $0.query("SELECT 1", []) { $0 }
                        try latch.wait()
                    }
                }
            }
            try await group.waitForAll()
        }
        await latch.arrival(of: TestStore.writers)
        latch.open()
        try await held
        store.close()
    }

    @Test("a table's flow excludes those of its rows, where both exist")
    func tableAndRows() {
        let locks = SubjectLocks(schema: "s")
        let (table, row) = (
            locks.locks(of: [.table("webhook")]), locks.locks(of: [.row("webhook", 1)])
        )
        #expect(table.count == 1 && row.count == 2)
        #expect(row.contains { $0.key == table[0].key && $0.isShared })
        #expect(locks.locks(of: [.row("webhook", 1), .table("webhook")]).contains(table[0]))
        #expect(locks.locks(of: [.expired]).isEmpty)
        #expect(SubjectLocks(schema: "t").locks(of: [.table("webhook")]) != table)
    }

    @Test("a flow whose connection ends before COMMIT is run again, and done once")
    func cutOff() async throws {
        let isFirst = Once()
        try await store.write(about: []) { [self] transaction in
            try transaction.insertEntry(1)
            if isFirst.take() { try cut("INSERT%") }
            _ = try transaction.query("SELECT 1", []) { $0 }
        }
        #expect(!isFirst.take())
        #expect(try await store.read { try $0.entries() } == [1])
        store.close()
    }

    @Test("of two flows in a deadlock one is run again, and both are done")
    func deadlock() async throws {
        try await store.write(about: []) { transaction in
            for number in 1...2 { try transaction.insertEntry(number, name: "\(number)") }
        }
        let latch = Latch()
        try await withThrowingTaskGroup { group in
            for (first, second) in [(1, 2), (2, 1)] {
                let isFirst = Once()
                group.addTask { [store] in
                    try await store.write(about: []) { transaction in
                        func touch(_ number: Int) throws {
                            _ = try transaction.execute(
                                "UPDATE entry SET body = ? WHERE number = ?",
                                [.blob([UInt8(first)]), .integer(Int64(number))])
                        }
                        try touch(first)
                        if isFirst.take() { try latch.wait() }
                        try touch(second)
                    }
                }
            }
            await latch.arrival(of: 2)
            latch.open()
            try await group.waitForAll()
        }
        store.close()
    }

    @Test("a failed put is the error of its flow, outside of it")
    func failedPut() async throws {
        try await store.write(about: []) { try $0.insertEntry(1) }
        let error = await #expect(throws: SQLError.self) {
            try await store.write(about: []) {
                try $0.put("INSERT INTO entry (number) VALUES (1)", [])
            }
        }
        #expect(error?.kind == .constraint(.unique))
        try await store.write(about: []) { try $0.insertEntry(2) }
        #expect(try await store.read { try $0.entries() } == [1, 2])
        store.close()
    }

    @Test("while the link is cut no flow begins, and then they go on")
    func cutLink() async throws {
        try cut("SELECT%pg_try%")
        try cut("SELECT 1")
        // It looks twice a second.
        var done = 0
        while done < 100 {
            do {
                let number = done
                try await store.write(about: []) { try $0.insertEntry(number) }
                done += 1
            } catch is ServiceError {
                await Task.yield()
            }
        }
        store.close()
    }

    @Test("a server that can lose commits is refused, with the line to set")
    func check() throws {
        var settings = try TestServer.shared.get().settings(schema: "check")
        settings.durability = .full
        let connection = try connection()
        let error = #expect(throws: StoreError.self) {
            try ServerCheck(connection, settings).run(CapturedLog().logger())
        }
        #expect(error?.description.contains("set fsync = on in postgresql.conf") == true)
        store.close()
    }

    @Test(
        "what a URL must not have is refused",
        arguments: [
            "host=a", "postgres://a:secret@b/c", "postgres://a@b/c?sslmode=disable", "postgres://b",
        ])
    func urls(_ url: String) {
        #expect(throws: StoreError.self) { try ServerSettings(url: url, schema: "s") }
    }

    @Test("texts are translated as sql_texts.py does")
    func texts() {
        #expect(ServerText.numbered("? b = '?' AND c = ?") == "$1 b = '?' AND c = $2")
        #expect(ServerText.numbered("?2, ?1") == "$2, $1")
        #expect(
            ServerText.translated("id INTEGER PRIMARY KEY AUTOINCREMENT, b BLOB) STRICT;")
                == "id BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, b BYTEA);")
    }
}

/// True for the first who asks.
private final class Once: Sendable {
    private let isTaken = Atomic(false)

    func take() -> Bool { !isTaken.exchange(true, ordering: .relaxed) }
}
