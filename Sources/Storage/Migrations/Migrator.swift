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
        try connection.run(script: Self.step.script(in: connection.dialect))
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
        let number = try connection.queryOne(
            "SELECT coalesce(max(number), 0) FROM schema_migrations WHERE component = ?",
            [.text(component.rawValue)]
        ) { try $0.integer(0) }
        return Int(number ?? 0)
    }

    private func apply(_ migration: Migration, _ component: Component) throws {
        do {
            try connection.begin()
            try connection.run(script: migration.script(in: connection.dialect))
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

    /// Makes the table in the engine's words.
    private static let step = Migration(number: 0, sql: table)

    /// Where the steps are recorded.
    static let table = """
        CREATE TABLE IF NOT EXISTS schema_migrations (
            component TEXT NOT NULL,
            number INTEGER NOT NULL,
            applied_at_ms INTEGER NOT NULL,
            PRIMARY KEY (component, number)
        ) STRICT
        """
}

extension SQLSession {
    /// The number of the last migration of each component: `storage`, `service`.
    func lastMigrations() throws -> [String: Int] {
        let numbers = try query(
            "SELECT component, max(number) AS number FROM schema_migrations GROUP BY component"
        ) { (try $0.text("component"), Int(try $0.integer("number"))) }
        // Not `uniqueKeysWithValues`, which traps: a damaged copy may have names that Swift takes
        // for equal.
        return Dictionary(numbers) { first, _ in first }
    }
}

/// One step of a schema, forward only. A step adds (tables, columns with defaults, indexes) and
/// never removes what the previous version of the program uses, so that version runs on the new
/// schema. A released step is never edited.
package struct Migration: Hashable, Sendable {
    /// Its number, from 1 without gaps.
    package let number: Int
    /// Statements without parameters, in SQLite's words.
    package let sql: String
    /// Statements for a server instead of those of `sql`; both are translated.
    package let server: String?

    /// Step `number`.
    package init(number: Int, sql: String, server: String? = nil) {
        self.number = number
        self.sql = sql
        self.server = server
    }

    /// The statements in an engine's words.
    func script(in dialect: SQLDialect) -> String {
        switch dialect {
        case .sqlite: sql
        case .postgreSQL: ServerText.translated(server ?? sql)
        }
    }
}

/// The tables that every store has in addition to its service's own.
///
/// Keys are integers and indexes hold nothing personal: SQLite leaves deleted text behind in the
/// inner pages of indexes with text keys, and none with integer keys (Sources/SECURITY.md,
/// Erasure).
enum StorageTables {
    /// Migrations of the component `storage`.
    static let migrations = [
        Migration(number: 1, sql: outbox + audit + idempotency),
        Migration(number: 2, sql: clockMark),
        Migration(number: 3, sql: clockBoot),
        Migration(number: 4, sql: auditActor),
        Migration(number: 5, sql: outboxQueues),
        Migration(number: 6, sql: AuditCounts.table),
        Migration(number: 7, sql: keyCheck),
        Migration(number: 8, sql: auditApp),
        Migration(number: 9, sql: outboxLeases),
        Migration(
            number: 10, sql: feedHead + auditPosition + auditPositions,
            server: feedHead + auditPosition),
        Migration(number: 11, sql: StoreFile.table),
        Migration(number: 12, sql: auditNumbers, server: Feed.audit.tables),
        Migration(number: 13, sql: "", server: serverTables),
        Migration(number: 14, sql: auditDetails + AuditCounts.refusals),
        Migration(number: 15, sql: auditByAccount),
        Migration(number: 16, sql: TrailLink.table),
    ]

    /// `number` orders the messages. Those with the same `lane` are delivered one after the other.
    private static let outbox = """
        CREATE TABLE outbox (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            topic TEXT NOT NULL,
            message_key TEXT NOT NULL,
            lane INTEGER,
            payload BLOB NOT NULL,
            created_at_ms INTEGER NOT NULL,
            due_at_ms INTEGER NOT NULL,
            attempts INTEGER NOT NULL DEFAULT 0
        ) STRICT;
        CREATE INDEX outbox_by_due ON outbox (due_at_ms, number);
        CREATE INDEX outbox_by_lane ON outbox (lane, topic, number) WHERE lane IS NOT NULL;
        """

    /// Each queue of the outbox is read separately, through `outbox_by_queue`. That index replaces
    /// `outbox_by_due`, which would cost a write for every message. An older program finds due
    /// messages without it, slowly.
    private static let outboxQueues = """
        ALTER TABLE outbox ADD COLUMN queue INTEGER NOT NULL DEFAULT 0;
        CREATE INDEX outbox_by_queue ON outbox (queue, due_at_ms, number);
        DROP INDEX outbox_by_due;
        """

    /// The instance that may deliver a message, and until when (`OutboxRelay`). The lease of a
    /// message that an older program wrote is over.
    private static let outboxLeases = """
        ALTER TABLE outbox ADD COLUMN holder INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE outbox ADD COLUMN leased_until_ms INTEGER NOT NULL DEFAULT 0;
        """

    /// Append-only. `subject`, `client_address` and `device` are keyed hashes; of a signing key
    /// `subject` is its `kid`.
    private static let audit = """
        CREATE TABLE audit (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            at_ms INTEGER NOT NULL,
            kind TEXT NOT NULL,
            account INTEGER,
            session INTEGER,
            subject BLOB,
            client_address BLOB,
            device BLOB,
            outcome TEXT,
            attempt INTEGER
        ) STRICT;
        """

    /// Who acted on an account where that was not its owner: an application and the operator that
    /// it named (I-09). Holds no data of the account.
    private static let auditActor = "ALTER TABLE audit ADD COLUMN actor TEXT;"

    /// The app that called through the web service. Holds no data of the account.
    private static let auditApp = "ALTER TABLE audit ADD COLUMN app TEXT;"

    /// What a record says beside its kind, and where and with which program the call was made
    /// (`AuditEvent`). Older rows have none of them.
    private static let auditDetails = """
        ALTER TABLE audit ADD COLUMN detail TEXT;
        ALTER TABLE audit ADD COLUMN country TEXT;
        ALTER TABLE audit ADD COLUMN agent TEXT;
        """

    /// The records about an account (`records(of:before:limit:_:)`, which repeats the condition).
    /// Refreshes are the most frequent writes: with all rows in the index they are 13 % fewer.
    private static let auditByAccount = """
        CREATE INDEX audit_by_account ON audit (account, number)
            WHERE account IS NOT NULL AND kind <> 'session.refreshed';
        """

    /// The last number of each feed on a server (`Feed`). In a file only the version before step 12
    /// uses it.
    private static let feedHead = """
        CREATE TABLE feed_head (
            feed TEXT NOT NULL PRIMARY KEY,
            last INTEGER NOT NULL
        ) STRICT;
        """

    private static let auditPosition = "ALTER TABLE audit ADD COLUMN position INTEGER;"

    /// Positions of audit events, apart from their numbers. Unused since step 12; the version
    /// before it gives each row without a position its number. No server had that version.
    private static let auditPositions = """
        INSERT INTO feed_head (feed, last) VALUES (
            'audit', coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'audit'), 0));
        CREATE UNIQUE INDEX audit_position ON audit (position) WHERE position IS NOT NULL;
        UPDATE audit SET position = number;
        CREATE INDEX audit_unpositioned ON audit (number) WHERE position IS NULL;
        """

    /// What only a server has. `store_place` has one row: the service's store, the system whose
    /// server the schema is on, and whether the store was restored there. `key_checks` has a keyed
    /// hash of each key that several services share (`Store.requireSharedKey`). Rows that change
    /// often stay on their pages, and are cleared away soon.
    private static let serverTables = """
        CREATE TABLE store_place (
            id BIGINT PRIMARY KEY CHECK (id = 1),
            store TEXT NOT NULL,
            system_identifier BIGINT NOT NULL,
            is_restored BIGINT NOT NULL
        );
        CREATE TABLE key_checks (
            name TEXT NOT NULL PRIMARY KEY,
            check_value BLOB NOT NULL
        );
        ALTER TABLE outbox SET (
            fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02,
            autovacuum_vacuum_insert_scale_factor = 0.02);
        ALTER TABLE idempotency SET (autovacuum_vacuum_scale_factor = 0.02);
        """

    /// An event's number is its position. The indexes took a fifth of the store's writes a second.
    /// On a server the number comes later.
    private static let auditNumbers = """
        DROP INDEX audit_position;
        DROP INDEX audit_unpositioned;
        """

    /// One row: a keyed hash that identifies the store's master key (`StoreKeyVerdict`).
    private static let keyCheck = """
        CREATE TABLE key_check (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            check_value BLOB NOT NULL
        ) STRICT;
        """

    /// One row: the latest moment that the store knows (`ClockMark`).
    private static let clockMark = """
        CREATE TABLE clock_mark (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            at_ms INTEGER NOT NULL
        ) STRICT;
        """

    /// The machine's uptime at the mark's moment; see `ClockMark`.
    private static let clockBoot = """
        ALTER TABLE clock_mark ADD COLUMN boot_at_ms INTEGER;
        ALTER TABLE clock_mark ADD COLUMN boot TEXT;
        ALTER TABLE clock_mark ADD COLUMN uptime_ms INTEGER;
        ALTER TABLE clock_mark ADD COLUMN in_doubt INTEGER;
        """

    /// `number` orders the responses by age, for `Purge`.
    private static let idempotency = """
        CREATE TABLE idempotency (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            key_hash BLOB NOT NULL,
            fingerprint BLOB NOT NULL,
            answer BLOB NOT NULL,
            created_at_ms INTEGER NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX idempotency_by_key ON idempotency (key_hash);
        """
}
