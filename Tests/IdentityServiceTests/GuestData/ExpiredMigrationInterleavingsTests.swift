import ServiceRuntime
import TestSupport
import Testing

@testable import IdentityAssembly
@testable import IdentityService
@testable import PersonalData
@testable import Storage

@Suite(
    "G-16: expired migrations of guests' documents are deleted",
    .enabled(if: TestStore.runs("*InterleavingsTests")))
struct ExpiredMigrationInterleavingsTests {
    /// Two migrations with a document each, of which the first has expired.
    private static let rows = [
        "accounts (account, status, created_at_ms) VALUES (1, 1, 1), (2, 1, 1)",
        """
        guest_migrations (migration, account, choice, state, documents, done, created_at_ms,
            changed_at_ms, expires_at_ms)
        VALUES (1, 1, 0, 1, 1, 0, 1, 1, 1), (2, 2, 0, 1, 1, 0, 1, 1, NULL)
        """,
        """
        guest_migration_documents (account, migration, payload, bytes, changed_at_ms)
        VALUES (1, 1, x'', 1, 1), (2, 2, x'', 1, 1)
        """,
    ]

    @Test("one that is renewed while the purge looks at it keeps its documents")
    func renewed() async throws {
        let folder = try TemporaryFolder()
        var made: Interleavings?
        let store = try TestStore.open("identity", IdentityTables.migrations, in: folder.path) {
            let interleavings = Interleavings($0)
            made = interleavings
            return interleavings
        }
        try await store.writeUnchecked { transaction in
            for row in Self.rows { try transaction.execute("INSERT INTO \(row)") }
        }
        let report = try await #require(made).explore {
            _ = try await store.write(about: [.expired]) {
                try StoredMigration.purge.remove($0, 10)
            }
        } _: {
            try await store.write(about: [.account(1)]) {
                try $0.put(
                    "UPDATE guest_migrations SET expires_at_ms = NULL WHERE migration = 1", [])
            }
        } _: { transaction in
            try transaction.numbers([
                "migrations": "count(*) FROM guest_migrations",
                "documents": "count(*) FROM guest_migration_documents",
            ])
        }
        #expect(report.wrong == [], "\(report.serial)")
        #expect(report.serial.count == 2 && report.interleavings > 0)
        store.close()
    }
}
