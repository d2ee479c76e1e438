package import IdentityService
import Messages
package import ServiceRuntime
package import Storage

/// A row of `guest_migration_documents`, opened.
package struct MigrationItem: Hashable, Sendable {
    /// The row's key.
    let item: Int64
    /// What the document is named.
    package let key: DocumentKey
    /// The JSON text; empty for a document that the guest has.
    package let json: String
    /// When it was changed on the device, or by the guest.
    package let changedAt: Timestamp
}

/// A row of `guest_migration_documents`, sealed as it is stored.
package struct MigrationItemRow: Sendable {
    /// The row's key.
    package let item: Int64
    let payload: [UInt8]
    let changedAt: Timestamp
    /// The error's code; nil for a document that was not tried yet.
    package let issue: String?

    fileprivate init(_ row: SQLRow) throws {
        item = try row.integer("item")
        payload = try row.blob("payload")
        changedAt = try row.timestamp("changed_at_ms")
        issue = try row.optionalText("issue")
    }
}

/// A document of a migration that is ready for its row.
struct SealedMigrationItem: Sendable {
    let item: Int64
    let payload: [UInt8]
    /// The bytes of the JSON text.
    let bytes: Int64
    let changedAt: Timestamp
}

extension AccountVault {
    /// Seals a document of a migration.
    func sealed(_ item: MigrationItem) throws -> SealedMigrationItem {
        SealedMigrationItem(
            item: item.item,
            payload: try seal(item.key, json: item.json, .migrationDocument(item.item)),
            bytes: Int64(item.json.utf8.count), changedAt: item.changedAt)
    }

    /// Opens a document of a migration.
    /// - Throws: if it was sealed for another account or another row.
    package func open(_ row: MigrationItemRow) throws -> MigrationItem {
        let (key, json) = try openDocument(row.payload, .migrationDocument(row.item))
        return MigrationItem(item: row.item, key: key, json: json, changedAt: row.changedAt)
    }
}

extension SQLSession {
    /// Documents of a migration.
    /// - Parameters:
    ///   - isIssue: Those that could not be moved, or else those that were not tried yet.
    ///   - last: The row of the previous page's last one; 0 for the first page.
    /// - Throws: `SQLError`.
    package func migrationItems(
        of migration: MigrationID, isIssue: Bool, after last: Int64 = 0, limit: Int
    ) throws -> [MigrationItemRow] {
        try query(
            """
            SELECT item, payload, changed_at_ms, issue FROM guest_migration_documents
            WHERE migration = ? AND item > ?
                AND CASE WHEN issue IS NULL THEN 0 ELSE 1 END = CAST(? AS BIGINT)
            ORDER BY item LIMIT ?
            """,
            [
                .integer(migration.key), .integer(last), .integer(isIssue ? 1 : 0),
                .integer(Int64(limit)),
            ], MigrationItemRow.init)
    }

    /// How many documents of a migration could not be moved.
    func issueCount(of migration: MigrationID) throws -> Int {
        try queryOne(
            """
            SELECT count(*) FROM guest_migration_documents
            WHERE migration = ? AND issue IS NOT NULL
            """, [.integer(migration.key)]
        ) { Int(clamping: try $0.integer(0)) } ?? 0
    }

    /// What an account's bundles hold: this one, and those that have arrived.
    func bundled(
        of account: AccountID, in bundle: MigrationID
    ) throws -> (documents: Int64, bytes: Int64) {
        try queryOne(
            """
            SELECT count(*) AS documents, CAST(coalesce(sum(bytes), 0) AS BIGINT) AS bytes
            FROM guest_migration_documents
            WHERE account = ?1 AND (migration = ?2 OR migration IN (
                SELECT migration FROM guest_migrations WHERE account = ?1 AND state <> ?3))
            """,
            [
                .integer(account.key), .integer(bundle.key),
                .integer(MigrationState.receiving.rawValue),
            ]
        ) { (try $0.integer("documents"), try $0.integer("bytes")) } ?? (0, 0)
    }
}

extension Transaction {
    /// Stores a document of a migration.
    /// - Parameters:
    ///   - document: The row of the guest's document; nil for one of a bundle.
    ///   - issue: Why it could not be moved; nil if that was not tried yet.
    func insert(
        _ item: SealedMigrationItem, of migration: StoredMigration, document: Int64?,
        issue: ErrorCode?
    ) throws {
        try put(
            """
            INSERT INTO guest_migration_documents (
                item, account, migration, document, payload, bytes, changed_at_ms, issue)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                .integer(item.item), .integer(migration.account.key),
                .integer(migration.migration.key), SQLValue(document),
                .blob(item.payload), .integer(item.bytes), SQLValue(item.changedAt),
                SQLValue(issue?.rawValue),
            ])
    }

    /// Records why a document of a bundle could not be moved.
    func setIssue(_ issue: ErrorCode, item: Int64) throws {
        try put(
            "UPDATE guest_migration_documents SET issue = ? WHERE item = ?",
            [.text(issue.rawValue), .integer(item)])
    }

    /// Deletes a document of a bundle that is done.
    func removeItem(_ item: Int64) throws {
        try put("DELETE FROM guest_migration_documents WHERE item = ?", [.integer(item)])
    }

    /// Deletes all documents of a migration.
    func removeItems(of migration: MigrationID) throws {
        try put(
            "DELETE FROM guest_migration_documents WHERE migration = ?", [.integer(migration.key)])
    }

    /// Forgets what could not be moved, so that it is tried again.
    func forgetIssues(of migration: MigrationID) throws {
        try put(
            "DELETE FROM guest_migration_documents WHERE migration = ? AND document IS NOT NULL",
            [.integer(migration.key)])
        try put(
            "UPDATE guest_migration_documents SET issue = NULL WHERE migration = ?",
            [.integer(migration.key)])
    }
}
