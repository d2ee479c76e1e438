import Glibc
import Logging
import ServiceRuntime
import Synchronization
import TestSupport
import Testing

@testable import Storage

@Suite("A store on a server", .enabled(if: TestStore.writers > 1))
struct ServerStoreTests {
    let folder: TemporaryFolder
    let log = CapturedLog()
    let store: Store

    init() throws {
        folder = try TemporaryFolder()
        store = try Entries.open(folder, log: log)
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
            """, [.text(query), .text("postern-entries/\(store.instance)")]
        ) { $0 }
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

    @Test("a flow that waits for a lock for 2 s is refused, and was not begun")
    func lockWait() async throws {
        let (subject, other) = (Subject.row("entry", 7), try connection())
        let schema = try TestServer.shared.get().schema(of: "entries", in: folder.path).schema
        let key = try #require(SubjectLocks(schema: schema).locks(of: [subject]).first).key
        _ = try other.query("SELECT pg_advisory_lock(?)", [.integer(key)]) { $0 }
        let error = await #expect(throws: ServiceError.self) {
            try await store.write(about: [subject]) { try $0.insertEntry(7) }
        }
        #expect(error?.code == .unavailable && error?.notProcessed == true)
        _ = try other.query("SELECT pg_advisory_unlock(?)", [.integer(key)]) { $0 }
        try await store.write(about: [subject]) { try $0.insertEntry(7) }
        store.close()
    }

    @Test("a flow that does nothing for 2 s between two statements is run again, and done once")
    func idleFlow() async throws {
        let isFirst = Once()
        try await store.write(about: []) { transaction in
            try transaction.insertEntry(1)
            if isFirst.take() { usleep(2_300_000) }
            _ = try transaction.query("SELECT 1", []) { $0 }
        }
        #expect(!isFirst.take())
        #expect(try await store.read { try $0.entries() } == [1])
        store.close()
    }

    @Test("a flow that computes for more than 200 ms is reported, one that waits as long is not")
    func costlyFlow() async throws {
        try await store.write(about: []) { _ in _ = usleep(250_000) }
        #expect(log.costlyFlows(above: 0).isEmpty)
        try await store.write(about: []) { _ in
            let until = Self.threadTime + .milliseconds(250)
            while Self.threadTime < until {}
        }
        #expect(log.costlyFlows(above: 0).count == 1)
        store.close()
    }

    private static var threadTime: Duration {
        var now = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now)
        return .seconds(now.tv_sec) + .nanoseconds(now.tv_nsec)
    }

    @Test("a server without memory for another lock refuses for a moment, and says what to set")
    func locksMax() {
        let failure = ServerFailure(sqlState: "53200", message: "out of shared memory")
        #expect(failure.remedy == .later && !failure.isLockWait)
        #expect(failure.error.description.contains("max_locks_per_transaction"))
    }

    @Test("a schema that was restored on another server is a restored copy until it is settled")
    func otherPlace() async throws {
        store.close()
        let schema = try TestServer.shared.get().schema(of: "entries", in: folder.path).schema
        try TestServer.shared.get().run(
            "UPDATE \(schema).store_place SET system_identifier = system_identifier + 1")
        let copy = try Entries.open(folder)
        #expect(copy.isRestoredCopy)
        copy.close()
        let again = try Entries.open(folder)
        #expect(again.isRestoredCopy)
        try await again.settleRestoredCopy(about: []) { _ in 0 }
        again.close()
        let settled = try Entries.open(folder)
        #expect(!settled.isRestoredCopy)
        settled.close()
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

    private func place() throws -> StorePlace {
        .server(
            try TestServer.shared.get().schema(of: "entries", in: folder.path),
            folder: folder.path, name: "entries")
    }

    @Test("B17: a store is there once it knows its key, and not before")
    func hasStore() async throws {
        let (time, logger) = (ManualTime(), CapturedLog().logger())
        #expect(try !place().hasStore(time: time, logger: logger))
        try await store.requireKey(check: [1], file: "") { _, _ in [] }
        #expect(try place().hasStore(time: time, logger: logger))
        store.close()
    }

    @Test("B17: a key that several services share is the one of the store's first start")
    func sharedKey() async throws {
        try await store.requireSharedKey("shared", check: [1], file: "/keys/shared.key")
        try await store.requireSharedKey("shared", check: [1], file: "/keys/shared.key")
        try await store.requireSharedKey("other", check: [2], file: "/keys/other.key")
        let error = await #expect(throws: StoreError.self) {
            try await store.requireSharedKey("shared", check: [2], file: "/keys/shared.key")
        }
        let text = error?.description ?? ""
        #expect(text.contains("/keys/shared.key is not the key of the schema"))
        #expect(text.contains("copy the file"))
        store.close()
    }

    @Test("of two first starts with different keys one is refused")
    func firstStarts() async throws {
        let refused = try await withThrowingTaskGroup(of: Int.self) { group in
            for value in UInt8(0)..<2 {
                group.addTask { [store] in
                    do {
                        try await store.requireSharedKey("shared", check: [value], file: "")
                        return 0
                    } catch is StoreError {
                        return 1
                    }
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(refused == 1)
        store.close()
    }

    @Test("the store of another service is refused, whose tables would be mixed with this one's")
    func otherService() throws {
        store.close()
        try connection().execute("UPDATE store_place SET store = 'other'", [])
        let error = #expect(throws: StoreError.self) { try Entries.open(folder) }
        #expect(error?.description.contains("set store-schema") == true)
    }

    @Test("a store that was set back on its server is marked while its service is stopped, once")
    func restored() async throws {
        let settings = try TestServer.shared.get().schema(of: "entries", in: folder.path)
        #expect(throws: StoreError.inUse(lock: settings.place, process: nil)) {
            try settings.markRestored()
        }
        store.close()
        try settings.markRestored()
        let copy = try Entries.open(folder)
        #expect(copy.isRestoredCopy)
        try await copy.settleRestoredCopy(about: []) { _ in 0 }
        copy.close()
        let settled = try Entries.open(folder)
        #expect(!settled.isRestoredCopy)
        settled.close()
    }

    @Test("a schema without a store is not marked")
    func nothingToMark() throws {
        let settings = try TestServer.shared.get().schema(of: "nothing", in: folder.path)
        let error = #expect(throws: StoreError.self) { try settings.markRestored() }
        #expect(error?.description.contains("has no store") == true)
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
