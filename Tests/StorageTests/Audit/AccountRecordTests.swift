import ServiceRuntime
import TestSupport
import Testing

@testable import Storage

@Suite("A-01: the records about an account")
struct AccountRecordTests {
    let folder: TemporaryFolder
    let time = ManualTime()
    let store: Store

    init() throws {
        folder = try TemporaryFolder()
        store = try Entries.open(folder, time: time)
    }

    private func happen(_ kinds: [AuditKind], to account: Int64 = 7) async throws {
        try await store.write(about: []) { transaction in
            for kind in kinds { try transaction.audit(AuditEvent(kind, account: account)) }
        }
    }

    private struct Page: Equatable {
        let positions: [Int64]
        let olderBefore: Int64?

        init(_ positions: [Int64], olderBefore: Int64? = nil) {
            self.positions = positions
            self.olderBefore = olderBefore
        }
    }

    private func records(
        before position: Int64? = nil, limit: Int = 10, _ kinds: AuditKinds = .all
    ) async throws -> Page {
        try await store.number(.audit)
        let found = try await store.read {
            try $0.records(of: 7, before: position, limit: limit, kinds)
        }
        return Page(found.records.map(\.position), olderBefore: found.olderBefore)
    }

    @Test("a page that has all records of an account says that there are no older ones")
    func bounds() async throws {
        #expect(try await records() == Page([]))
        try await happen([.signInSucceeded, .signInFailed, .newDevice])
        #expect(try await records(limit: 4) == Page([3, 2, 1]))
        #expect(try await records(limit: 3) == Page([3, 2, 1]))
        #expect(try await records(limit: 2) == Page([3, 2], olderBefore: 2))
        #expect(try await records(before: 2, limit: 1) == Page([1]))
        #expect(try await records(before: 1) == Page([]))
    }

    @Test("kinds leave records out, and refreshes are never among them")
    func kinds() async throws {
        try await happen([.sessionStarted, .sessionRefreshed, .sessionEnded, .signInFailed])
        #expect(try await records() == Page([4, 3, 1]))
        #expect(try await records(AuditKinds([.sessionStarted, .signInFailed])) == Page([4, 1]))
        #expect(try await records(AuditKinds(["session.*"])) == Page([3, 1]))
    }

    @Test("the records of an account are found by their index, which has no refreshes")
    func plan() async throws {
        // A server's plan depends on the number of rows.
        let folder = try TemporaryFolder()
        let store = try Entries.open(folder, engine: SQLiteEngine(), time: time)
        defer { store.close() }
        let plan = try await store.read { session in
            try session.query(
                """
                EXPLAIN QUERY PLAN SELECT number FROM audit
                WHERE account = 7 AND account IS NOT NULL AND kind <> 'session.refreshed'
                    AND number < 9
                ORDER BY number DESC LIMIT 50
                """
            ) { try $0.text(3) }
        }
        let search = "SEARCH audit USING INDEX audit_by_account (account=? AND number<?)"
        #expect(plan == [search])
    }
}
