import ServiceRuntime
import TestSupport
import Testing

@testable import Storage

@Suite("Positions of feeds: in the order of commits, without gaps")
struct FeedTests {
    struct Refused: Error {}

    let folder: TemporaryFolder
    let plan = FaultPlan()

    init() throws { folder = try TemporaryFolder() }

    private func open() throws -> Store {
        try Entries.open(folder, engine: FaultingEngine(plan))
    }

    @Test("transactions that throw leave no gap, in their group or alone")
    func throwing() async throws {
        let store = try open()
        for _ in 0..<3 {
            _ = await store.writeTogether(10) { index, transaction in
                try transaction.audit(AuditEvent(.sessionStarted, account: Int64(index + 1)))
                if index.isMultiple(of: 3) { throw Refused() }
                try transaction.audit(AuditEvent(.sessionEnded, account: Int64(index + 1)))
            }
            await #expect(throws: Refused.self) {
                try await store.write(about: []) { transaction in
                    try transaction.audit(AuditEvent(.sessionStarted))
                    throw Refused()
                }
            }
        }
        let rows = try await store.read { try $0.auditRows() }
        #expect(rows.map(\.position) == (1...36).map { $0 })
        let accounts: [Int64?] = [2, 2, 3, 3, 5, 5, 6, 6, 8, 8, 9, 9]
        #expect(rows.map(\.account) == accounts + accounts + accounts)
        #expect(try await store.read { try $0.lastPosition(in: .audit) } == 36)
        store.close()
    }

    @Test("positions of a commit that failed are given again")
    func failedCommit() async throws {
        let store = try open()
        try await store.write(about: []) { try $0.audit(AuditEvent(.sessionStarted)) }
        plan.fail(.commit, 1, .diskFailed)
        await #expect(throws: ServiceError.self) {
            try await store.write(about: []) { try $0.audit(AuditEvent(.sessionStarted)) }
        }
        try await store.write(about: []) { try $0.audit(AuditEvent(.sessionEnded)) }
        #expect(try await store.read { try $0.auditRows() }.map(\.position) == [1, 2])
        store.close()
    }

    @Test("positions continue after a restart, even if all rows were deleted")
    func restart() async throws {
        let first = try open()
        for _ in 0..<3 {
            try await first.write(about: []) { try $0.audit(AuditEvent(.sessionStarted)) }
        }
        try await first.write(about: []) { _ = try $0.execute("DELETE FROM audit") }
        first.close()
        let second = try open()
        #expect(try await second.read { try $0.lastPosition(in: .audit) } == 3)
        try await second.write(about: []) { try $0.audit(AuditEvent(.sessionStarted)) }
        #expect(try await second.read { try $0.auditRows() }.map(\.position) == [4])
        second.close()
    }

    @Test("rows that one statement inserts get their positions between those of other transactions")
    func manyRows() async throws {
        let (store, count) = (try open(), Int64(Feed.rowsAtOnce + 500))
        let results = await store.writeTogether(3) { index, transaction in
            guard index == 1 else {
                return try transaction.audit(AuditEvent(.sessionStarted, account: 7))
            }
            try transaction.insertUnpositioned(count)
            try transaction.givePositions(in: .audit)
        }
        #expect(results.allSatisfy { $0.error == nil })
        let rows = try await store.read { try $0.auditRows() }
        #expect(rows.map(\.position) == (1...count + 2).map { $0 })
        #expect(rows.first?.account == 7 && rows.last?.account == 7)
        store.close()
    }

    @Test("a transaction can know its position, and gives it back if it throws")
    func taken() async throws {
        let store = try open()
        let results = await store.writeTogether(3) { index, transaction in
            let position = try transaction.takePosition(in: .audit)
            if index == 1 { throw Refused() }
            return position
        }
        #expect(results.map { try? $0.get() } == [1, nil, 2])
        #expect(try await store.read { try $0.lastPosition(in: .audit) } == 2)
        await #expect(throws: SQLError.self) {
            try await store.write(about: []) { _ = try $0.takePosition(in: .revocations) }
        }
        store.close()
    }

    @Test("a store from before positions continues with larger ones, also if its rows were deleted")
    func formerStore() async throws {
        let connection = try SQLiteEngine().openWriter(folder.file("entries.sqlite"))
        let migrator = Migrator(
            connection: connection, time: ManualTime(), logger: CapturedLog().logger())
        let former = StorageTables.migrations.prefix { !$0.sql.contains("feed_head") }
        try migrator.run(Array(former), .storage)
        for _ in 0..<5 {
            try connection.execute("INSERT INTO audit (at_ms, kind) VALUES (1, 'session.started')")
        }
        try connection.execute("DELETE FROM audit WHERE number > 3")
        let store = try open()
        #expect(try await store.read { try $0.auditRows() }.map(\.position) == [1, 2, 3])
        try await store.write(about: []) { try $0.audit(AuditEvent(.sessionEnded)) }
        #expect(try await store.read { try $0.auditRows() }.map(\.position) == [1, 2, 3, 6])
        store.close()
    }

    @Test("rows of an older program that ran on this store have its numbers as positions")
    func olderProgram() async throws {
        let first = try open()
        for _ in 0..<2 {
            try await first.write(about: []) { try $0.audit(AuditEvent(.sessionStarted)) }
        }
        // The older program deletes its oldest rows too.
        try await first.write(about: []) { transaction in
            try transaction.insertUnpositioned(5)
            try transaction.execute("DELETE FROM audit WHERE number < 5")
        }
        first.close()
        let second = try open()
        #expect(try await second.read { try $0.auditRows() }.map(\.position) == [5, 6, 7])
        try await second.write(about: []) { try $0.audit(AuditEvent(.sessionEnded)) }
        #expect(try await second.read { try $0.auditRows() }.map(\.position) == [5, 6, 7, 8])
        second.close()
        let before = plan.count(.commit)
        try open().close()
        #expect(plan.count(.commit) == before + 1, "without such rows only that the store is open")
    }
}

extension SQLSession {
    fileprivate func auditRows() throws -> [(position: Int64?, account: Int64?)] {
        try query("SELECT position, account FROM audit ORDER BY number") {
            (try $0.optionalInteger(0), try $0.optionalInteger(1))
        }
    }

    /// Inserts rows as a program that knows no positions does.
    fileprivate func insertUnpositioned(_ count: Int64) throws {
        try execute(
            """
            WITH RECURSIVE step (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM step WHERE n < ?)
            INSERT INTO audit (at_ms, kind) SELECT 1, 'session.started' FROM step
            """,
            [.integer(count)])
    }
}
