import Contracts
import IdentityService
import JSON
import PersonalData
import ServiceRuntime
import Storage

extension AccountDataHandler {
    /// Migrations of one account that are sent: an owner can order a few an hour, and they are
    /// purged after a month.
    private static let migrationsMax: Int64 = 1_000
    /// Documents that one read finds.
    private static let itemsAtOnce = 100

    /// Sends the migrations into an account, and the documents that are not in it yet. Those that a
    /// guest still has are the guest's.
    func sendMigrations(
        of account: AccountID, _ vault: AccountVault, to file: inout AccountDataFile
    ) async throws {
        let migrations = try await store.read {
            try $0.migrations(of: account, limit: Self.migrationsMax)
        }
        for migration in migrations {
            try await file.append([
                "migration_id": .string(migration.migration.text),
                "choice": .string(migration.choice.map { "\($0)" } ?? "bundle"),
                "state": .string("\(migration.state)"),
                "documents": .integer(migration.documents), "done": .integer(migration.done),
                "created_at": .string(migration.createdAt.text),
                "changed_at": .string(migration.changedAt.text),
            ])
            for isIssue in [false, true] {
                try await sendItems(of: migration, isIssue: isIssue, vault, to: &file)
            }
        }
    }

    private func sendItems(
        of migration: StoredMigration, isIssue: Bool, _ vault: AccountVault,
        to file: inout AccountDataFile
    ) async throws {
        var last: Int64 = 0
        while true {
            let rows = try await store.read { [last] in
                try $0.migrationItems(
                    of: migration.migration, isIssue: isIssue, after: last,
                    limit: Self.itemsAtOnce)
            }
            for row in rows {
                let item = try vault.open(row)
                try await file.append([
                    "migration_id": .string(migration.migration.text),
                    "collection": .string(item.key.collection), "name": .string(item.key.name),
                    "changed_at": .string(item.changedAt.text), "refused_with": .text(row.issue),
                    "document": DocumentText.object(in: item.json).map { .object($0) } ?? .null,
                ])
            }
            guard rows.count == Self.itemsAtOnce, let row = rows.last else { return }
            last = row.item
        }
    }
}
