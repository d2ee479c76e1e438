import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import SessionService

@Suite("The session store's schema is migrated from its first version on")
struct SessionTablesTests {
    private let folder: TemporaryFolder
    private let time = ManualTime()

    init() throws { folder = try TemporaryFolder() }

    private func store(steps: Int) throws -> Store {
        try TestStore.open(
            SessionTables.storeName, Array(SessionTables.migrations.prefix(steps)), in: folder.path,
            time: time)
    }

    @Test(
        "sessions of every earlier version are kept, and that version runs on the new schema",
        arguments: 1..<SessionTables.migrations.count)
    func earlier(steps: Int) async throws {
        let account = try #require(AccountID(key: 5))
        let first = try store(steps: steps)
        try await first.writeUnchecked { transaction in
            _ = try transaction.execute(
                """
                INSERT INTO session (
                    id, account, counter, created_at_ms, used_at_ms, auth_time_ms, proved_at_ms,
                    methods, platform, device)
                VALUES (7, 5, 3, 1, 2, 1, 1, 'pwd', 'ios', NULL)
                """, [])
        }
        first.close()
        let now = try store(steps: SessionTables.migrations.count)
        let rows = try await now.read { try $0.openSessionsWithDevices(of: account) }
        #expect(rows.map(\.session.counter) == [3])
        #expect(rows.map(\.device.platform) == ["ios"] && rows[0].device.sealedName == nil)
        now.close()
        let again = try store(steps: steps)
        defer { again.close() }
        let count = try await again.writeUnchecked { transaction in
            try transaction.execute(
                "UPDATE session SET counter = 4 WHERE account = 5 AND ended_at_ms IS NULL", [])
        }
        #expect(count == 1)
    }
}
