import ServiceRuntime
import TestSupport
import Testing

@testable import Storage

@Suite("Expired rows are deleted by a duty and by no flow", .timeLimit(.minutes(1)))
struct PurgeTests {
    /// Tickets with an index on their expiry, and notes without one.
    private static let tables = Migration(
        number: 2,
        sql: """
            CREATE TABLE ticket (ticket INTEGER PRIMARY KEY, expires_at_ms INTEGER) STRICT;
            CREATE INDEX ticket_by_expiry ON ticket (expires_at_ms)
                WHERE expires_at_ms IS NOT NULL;
            CREATE TABLE note (note INTEGER PRIMARY KEY, made_at_ms INTEGER NOT NULL) STRICT;
            """)
    private static let tickets = Purge("ticket", key: "ticket", expiry: "expires_at_ms")
    private static let notes = Purge(
        "note", inOrderOf: "note", expiry: "made_at_ms", after: .seconds(60))

    let folder: TemporaryFolder
    let time = ManualTime()
    let store: Store
    let purges: Purges

    init() throws {
        folder = try TemporaryFolder()
        store = try Entries.open(folder, migrations: Entries.migrations + [Self.tables], time: time)
        purges = Purges(of: store, [Self.tickets, Self.notes], time: time)
    }

    private func key(_ number: Int) -> [UInt8] {
        (0..<16).map { $0 < 8 ? UInt8(truncatingIfNeeded: number >> ($0 * 8)) : 0 }
    }

    private func remember(_ numbers: Range<Int>) async throws {
        let keys = numbers.map(key)
        try await store.write(about: []) { transaction in
            for key in keys { try transaction.remember(key: key, fingerprint: [], answer: []) }
        }
    }

    private func count(_ table: String) async throws -> Int {
        try await store.read { session in
            try session.query("SELECT 1 FROM \(table)") { _ in true }.count
        }
    }

    private func numbers(_ table: String) async throws -> [Int64] {
        try await store.read { session in
            try session.query("SELECT \(table) FROM \(table) ORDER BY \(table)") {
                try $0.integer(0)
            }
        }
    }

    @Test("expired rows go without any flow")
    func alone() async throws {
        try await remember(0..<600)
        let duties = Duties(of: store, purging: [], [], time: time)
        let work = Task { await duties.run() }
        await time.sleepers()
        #expect(try await count("idempotency") == 600)
        time.advance(by: IdempotencyTable.retention + .milliseconds(1))
        await time.sleepers()
        #expect(try await count("idempotency") == 0)
        work.cancel()
        await work.value
    }

    @Test("a flow deletes no row of another flow")
    func flow() async throws {
        try await remember(0..<50)
        time.advance(by: IdempotencyTable.retention + .milliseconds(1))
        try await remember(50..<51)
        #expect(try await count("idempotency") == 51)
        #expect(try await !purges.step())
        #expect(try await count("idempotency") == 1)
    }

    @Test("ten thousand expired rows go in bounded steps, and flows go on between them")
    func backlog() async throws {
        try await remember(0..<10_000)
        time.advance(by: IdempotencyTable.retention + .milliseconds(1))
        var steps = 0
        while try await purges.step() {
            steps += 1
            #expect(try await count("idempotency") == 10_000 - steps * Purges.rowsMax)
            let number = steps
            try await store.write(about: []) { try $0.insertEntry(number) }
        }
        #expect(steps == 10_000 / Purges.rowsMax)
        #expect(try await count("idempotency") == 0)
        #expect(try await count("entry") == steps)
    }

    @Test("a look that finds nothing expired does not use the writer")
    func idle() async throws {
        try await remember(0..<3)
        let latch = Latch()
        async let held: Void = store.write(about: []) { _ in try latch.wait() }
        await latch.arrival()
        #expect(try await !purges.step())
        latch.open()
        try await held
        #expect(try await count("idempotency") == 3)
    }

    @Test("a row is deleted after the moment of its expiry, one without a moment never")
    func boundary() async throws {
        let now = time.now()
        _ = try await store.write(about: []) { transaction in
            try transaction.execute(
                "INSERT INTO ticket (ticket, expires_at_ms) VALUES (1, ?), (2, ?), (3, NULL)",
                [SQLValue(now), SQLValue(now + .milliseconds(1))])
        }
        _ = try await purges.step()
        #expect(try await numbers("ticket") == [1, 2, 3])
        time.advance(by: .milliseconds(1))
        _ = try await purges.step()
        #expect(try await numbers("ticket") == [2, 3])
        time.advance(by: .milliseconds(1))
        _ = try await purges.step()
        #expect(try await numbers("ticket") == [3])
    }

    @Test("without an index, the oldest row keeps its successors for no longer than itself")
    func order() async throws {
        let now = time.now()
        _ = try await store.write(about: []) { transaction in
            try transaction.execute(
                "INSERT INTO note (note, made_at_ms) VALUES (1, ?), (2, ?), (3, ?)",
                [SQLValue(now + .seconds(5)), SQLValue(now), SQLValue(now + .seconds(10))])
        }
        time.advance(by: .seconds(61))
        _ = try await purges.step()
        #expect(try await numbers("note") == [1, 2, 3])
        time.advance(by: .seconds(5))
        _ = try await purges.step()
        #expect(try await numbers("note") == [3])
    }

    @Test("a backlog in one table does not keep another from being purged")
    func tables() async throws {
        try await remember(0..<1_000)
        let now = time.now()
        _ = try await store.write(about: []) { transaction in
            try transaction.execute(
                "INSERT INTO ticket (ticket, expires_at_ms) VALUES (1, ?)", [SQLValue(now)])
        }
        time.advance(by: IdempotencyTable.retention + .milliseconds(1))
        #expect(try await purges.step())
        #expect(try await numbers("ticket") == [])
    }

    @Test("a table that cannot be purged does not keep another from being purged")
    func failure() async throws {
        struct Refused: Error {}
        let refusing = Purge { _, _ in
            true
        } remove: { _, _ in
            throw Refused()
        }
        let purges = Purges(of: store, [refusing, Self.tickets], time: time)
        let now = time.now()
        _ = try await store.write(about: []) { transaction in
            try transaction.execute(
                "INSERT INTO ticket (ticket, expires_at_ms) VALUES (1, ?)", [SQLValue(now)])
        }
        time.advance(by: .milliseconds(1))
        await #expect(throws: Refused.self) { _ = try await purges.step() }
        #expect(try await numbers("ticket") == [])
    }
}
