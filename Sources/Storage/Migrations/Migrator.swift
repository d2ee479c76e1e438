import Logging
import ServiceRuntime

/// Migrates a database's schema to this program's version, component by component. Each step runs
/// in its own transaction, together with the row that records it.
struct Migrator {
    /// The migrations of the service, and those of this module's own tables.
    enum Component: String {
        case service
        case storage
    }

    let connection: any SQLConnection
    let time: any Time
    let logger: Logger

    /// Applies every step of `migrations` that the database does not have yet.
    ///
    /// Steps that only a newer program knows are left as they are, with a warning. Every step only
    /// adds, so this program runs on them, and a downgrade needs no restore.
    func run(_ migrations: [Migration], _ component: Component) throws {
        let known = migrations.count
        precondition(migrations.map(\.number).elementsEqual(1..<known + 1), "numbered from 1")
        let had = try appliedNumber(component)
        if had > known {
            logger.warning(
                "store.version.newer", "the store was last used by a newer version",
                fields: [.part: .text(component.rawValue), .migration: .count(had)])
        }
        for migration in migrations where migration.number > had {
            try apply(migration, component)
        }
    }

    private func appliedNumber(_ component: Component) throws -> Int {
        let exists = try connection.queryOne(
            "SELECT 1 FROM sqlite_schema WHERE name = 'schema_migrations'"
        ) { _ in true }
        guard exists == true else { return 0 }
        let number = try connection.queryOne(
            "SELECT max(number) FROM schema_migrations WHERE component = ?",
            [.text(component.rawValue)]
        ) { try $0.optionalInteger(0) }
        return Int((number ?? 0) ?? 0)
    }

    private func apply(_ migration: Migration, _ component: Component) throws {
        do {
            try connection.begin()
            try connection.run(script: Self.table)
            try connection.run(script: migration.sql)
            try connection.execute(
                """
                INSERT INTO schema_migrations (component, number, applied_at_ms) VALUES (?, ?, ?)
                """,
                [
                    .text(component.rawValue), .integer(Int64(migration.number)),
                    SQLValue(time.now()),
                ])
            try connection.commit()
        } catch {
            // Report the first error; one from the rollback adds nothing.
            if connection.isInTransaction { try? connection.rollBack() }
            let cause = error as? SQLError ?? SQLError(.other, detail: "\(error)")
            throw StoreError.migrationFailed(
                component: component.rawValue, number: migration.number, cause)
        }
    }

    private static let table = """
        CREATE TABLE IF NOT EXISTS schema_migrations (
            component TEXT NOT NULL,
            number INTEGER NOT NULL,
            applied_at_ms INTEGER NOT NULL,
            PRIMARY KEY (component, number)
        ) STRICT
        """
}

/// One step of a schema, forward only. A step adds (tables, columns with defaults, indexes) and
/// never removes what the previous version of the program uses, so that version runs on the new
/// schema. A released step is never edited.
package struct Migration: Hashable, Sendable {
    /// Its number, from 1 without gaps.
    package let number: Int
    /// Statements without parameters.
    package let sql: String

    /// Step `number`.
    package init(number: Int, sql: String) {
        self.number = number
        self.sql = sql
    }
}
