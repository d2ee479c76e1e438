import ServiceRuntime
import TestSupport
import Testing

@testable import IdentityAssembly
@testable import IdentityService
@testable import PersonalData
@testable import Storage

/// On a server with several writers a purge can wait for a flow that renews what it found.
@Suite("G-16: a migration that is renewed while its purge waits", .timeLimit(.minutes(1)))
struct RenewedMigrationTests {
    /// - Returns: how many migrations, and documents of them, are left.
    private func left(
        about subjects: [Subject], _ purge: @escaping @Sendable (Transaction) throws -> Void
    ) async throws -> [Int64] {
        let folder = try TemporaryFolder()
        let store = try TestStore.open("identity", IdentityTables.migrations, in: folder.path)
        defer { store.close() }
        try await store.writeUnchecked { transaction in
            try transaction.execute(
                "INSERT INTO accounts (account, status, created_at_ms) VALUES (1, 1, 1)")
            try transaction.execute(
                """
                INSERT INTO guest_migrations (migration, account, choice, state, documents, done,
                    created_at_ms, changed_at_ms, expires_at_ms)
                VALUES (1, 1, 0, 1, 1, 0, 1, 1, 1)
                """)
            try transaction.execute(
                """
                INSERT INTO guest_migration_documents (account, migration, payload, bytes,
                    changed_at_ms)
                VALUES (1, 1, x'', 1, 1)
                """)
        }
        try await store.meeting(
            [.account(1)],
            {
                try $0.put(
                    "UPDATE guest_migrations SET expires_at_ms = NULL WHERE migration = 1", [])
            }, then: subjects, purge)
        return try await store.read { session in
            try ["guest_migrations", "guest_migration_documents"].map { table in
                try session.queryOne("SELECT count(*) FROM \(table)") { try $0.integer(0) } ?? -1
            }
        }
    }

    @Test("it and its documents stay")
    func stays() async throws {
        let left = try await left(about: [.expired]) {
            _ = try StoredMigration.purge.remove($0, 10)
        }
        #expect(left == [1, 1])
    }

    @Test("two statements that each pick the expired ones lose it on a server, and its documents")
    func pickedTwice() async throws {
        let expired = """
            SELECT migration FROM guest_migrations WHERE expires_at_ms < ?
            ORDER BY expires_at_ms LIMIT ?
            """
        let tables = ["guest_migration_documents", "guest_migrations"]
        let left = try await left(about: tables.map { .table($0) }) { transaction in
            for table in tables {
                try transaction.put(
                    "DELETE FROM \(table) WHERE migration IN (\(expired))",
                    [SQLValue(transaction.at), .integer(10)])
            }
        }
        #expect(left == (TestStore.isOnServer ? [0, 0] : [1, 1]))
    }
}
