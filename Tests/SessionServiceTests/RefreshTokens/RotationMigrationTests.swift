import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import SessionService

@Suite("G-10: stores from before the grace and device keys are migrated")
struct RotationMigrationTests {
    private let folder: TemporaryFolder
    private let time = ManualTime()

    init() throws {
        folder = try TemporaryFolder()
    }

    private func withStore<Value: Sendable>(
        _ migrations: [Migration], _ work: @escaping @Sendable (Transaction) throws -> Value
    ) async throws -> Value {
        let store = try TestStore.open(
            SessionTables.storeName, migrations, in: folder.path, time: time)
        defer { store.close() }
        return try await store.writeUnchecked(work)
    }

    /// Writes a row as the earlier version does.
    private static func insert(_ id: Int64, in transaction: Transaction) throws {
        try transaction.put(
            """
            INSERT INTO session (
                id, account, counter, created_at_ms, used_at_ms, auth_time_ms, proved_at_ms,
                methods, platform, device)
            VALUES (?, 9, 3, 1000, 2000, 1000, 1000, 'pwd', 'ios', X'0102')
            """, [.integer(id)])
    }

    @Test("an earlier session is read, is not bound, and has no grace until it rotates")
    func forward() async throws {
        let first = Array(SessionTables.migrations.prefix(1))
        try await withStore(first) { try Self.insert(1, in: $0) }
        let (before, after) = try await withStore(SessionTables.migrations) { transaction in
            let id = try #require(SessionID(key: 1))
            var session = try #require(try transaction.session(id))
            let before = session
            session.counter += 1
            session.rotatedAt = transaction.at
            try transaction.rotate(session)
            return (before, try #require(try transaction.session(id)))
        }
        #expect(before.rotatedAt == Timestamp(milliseconds: 0))
        #expect(before.deviceKey == nil && before.device == [1, 2] && before.counter == 3)
        #expect(after.rotatedAt == time.now() && after.counter == 4)
    }

    @Test("the earlier version runs on the new schema")
    func backward() async throws {
        try await withStore(SessionTables.migrations) { _ in }
        try await withStore(Array(SessionTables.migrations.prefix(1))) { transaction in
            try Self.insert(2, in: transaction)
        }
        let session = try await withStore(SessionTables.migrations) {
            try $0.session(try #require(SessionID(key: 2)))
        }
        #expect(session?.counter == 3)
    }
}
