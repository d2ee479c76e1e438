import ServiceRuntime
import TestSupport
import Testing

@testable import Storage

@Suite("Numbers of audit events: in the order of commits, without gaps")
struct AuditNumberTests {
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
        #expect(rows.map(\.number) == (1...36).map { $0 })
        let accounts: [Int64?] = [2, 2, 3, 3, 5, 5, 6, 6, 8, 8, 9, 9]
        #expect(rows.map(\.account) == accounts + accounts + accounts)
        store.close()
    }

    @Test("numbers of a commit that failed are given again")
    func failedCommit() async throws {
        let store = try open()
        try await store.write(about: []) { try $0.audit(AuditEvent(.sessionStarted)) }
        plan.fail(.commit, 1, .diskFailed)
        await #expect(throws: ServiceError.self) {
            try await store.write(about: []) { try $0.audit(AuditEvent(.sessionStarted)) }
        }
        try await store.write(about: []) { try $0.audit(AuditEvent(.sessionEnded)) }
        #expect(try await store.read { try $0.auditRows() }.map(\.number) == [1, 2])
        store.close()
    }

    @Test("numbers continue after a restart, even if all rows were deleted")
    func restart() async throws {
        let first = try open()
        for _ in 0..<3 {
            try await first.write(about: []) { try $0.audit(AuditEvent(.sessionStarted)) }
        }
        try await first.write(about: []) { _ = try $0.execute("DELETE FROM audit") }
        first.close()
        let second = try open()
        try await second.write(about: []) { try $0.audit(AuditEvent(.sessionStarted)) }
        #expect(try await second.read { try $0.auditRows() }.map(\.number) == [4])
        second.close()
    }
}

extension SQLSession {
    fileprivate func auditRows() throws -> [(number: Int64, account: Int64?)] {
        try query("SELECT number, account FROM audit ORDER BY number") {
            (try $0.integer(0), try $0.optionalInteger(1))
        }
    }
}
