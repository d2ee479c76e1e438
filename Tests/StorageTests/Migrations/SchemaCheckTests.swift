import TestSupport
import Testing

@testable import Storage

@Suite(
    "O-01: a file whose schema another program has changed is refused",
    .enabled(if: TestStore.runs("SchemaCheckTests")))
struct SchemaCheckTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try Entries.open(folder, migrations: MigratorTests.steps).close()
    }

    private func change(_ script: String) throws {
        let connection = try SQLiteEngine().openWriter(folder.file("entries.sqlite"))
        try connection.run(script: script)
    }

    private func open(
        _ migrations: [Migration] = MigratorTests.steps, log: CapturedLog = CapturedLog()
    ) throws {
        try Entries.open(folder, migrations: migrations, log: log).close()
    }

    /// Expects a refusal that names the difference.
    private func expectForeign(
        _ detail: String, _ migrations: [Migration] = MigratorTests.steps,
        _ location: SourceLocation = #_sourceLocation
    ) {
        let file = folder.file("entries.sqlite")
        #expect(
            throws: StoreError.foreignSchema(file, detail: detail), sourceLocation: location
        ) { try open(migrations) }
    }

    @Test(
        "a foreign object, one that was changed, and one that is missing",
        arguments: [
            (
                "CREATE TRIGGER t AFTER INSERT ON audit BEGIN DELETE FROM entry; END",
                "it has the trigger t"
            ),
            ("CREATE VIEW v AS SELECT 1", "it has the view v"),
            ("CREATE TABLE other (a)", "it has the table other"),
            ("CREATE VIRTUAL TABLE r USING rtree(a, b, c)", "it has the table r"),
            ("CREATE UNIQUE INDEX i ON entry (body)", "it has the index i"),
            ("CREATE TABLE \"a\n\u{202e}\" (a)", #"it has the table a\n\u{202E}"#),
            ("ALTER TABLE entry ADD COLUMN more TEXT", "it has another table entry"),
            ("DROP INDEX outbox_by_lane", "it lacks the index outbox_by_lane"),
            ("DROP TABLE extra", "it lacks the table extra"),
        ])
    func foreign(script: String, detail: String) throws {
        try change(script)
        expectForeign(detail)
        // Undone as the message says.
        guard detail.contains("the trigger") else { return }
        try change("DROP TRIGGER t")
        try open()
    }

    @Test("the trigger of a copy has not run when the copy is refused")
    func notRun() throws {
        try change(
            """
            CREATE TRIGGER t AFTER INSERT ON schema_migrations BEGIN DELETE FROM extra; END;
            DELETE FROM schema_migrations WHERE component = 'service' AND number > 1;
            DROP TABLE extra; CREATE TABLE extra (id); INSERT INTO extra VALUES (1)
            """)
        #expect(throws: StoreError.self) { try open() }
        let connection = try SQLiteEngine().openWriter(folder.file("entries.sqlite"))
        #expect(try connection.query("SELECT id FROM extra") { try $0.integer(0) } == [1])
    }

    @Test("records of steps that another program wrote do not hide what they should have made")
    func records() throws {
        try change("DELETE FROM schema_migrations WHERE component = 'service' AND number = 3")
        expectForeign("it has the table extra")
        try change(
            """
            DROP TABLE schema_migrations;
            CREATE VIEW schema_migrations AS
                SELECT 'service' AS component, 3 AS number, 0 AS applied_at_ms
            """)
        #expect(throws: StoreError.self) { try open() }
    }

    @Test("an empty file and one that an operator has analysed are right")
    func right() throws {
        try change("ANALYZE")
        try open()
        try Entries.open(try TemporaryFolder(), migrations: MigratorTests.steps).close()
    }

    @Test("a newer version's tables are not ours to judge, but its triggers are")
    func newer() throws {
        let old = Array(MigratorTests.steps.prefix(1))
        let log = CapturedLog()
        try open(old, log: log)
        #expect(log.lines.contains { $0.contains("store.version.newer") })
        try change("CREATE TRIGGER t AFTER INSERT ON entry BEGIN DELETE FROM extra; END")
        expectForeign("it has the trigger t", old)
    }

    @Test("a copy that a newer version made is refused, with both numbers; an older one is not")
    func copies() throws {
        try CopiedStore(folder.file("entries.sqlite")).mark()
        let error = #expect(throws: StoreError.self) {
            try open(Array(MigratorTests.steps.prefix(1)))
        }
        #expect(
            error
                == .newerCopy(
                    folder.file("entries.sqlite"), component: "service", number: 3, known: 1))
        let later = Migration(number: 4, sql: "CREATE TABLE later (id INTEGER PRIMARY KEY)")
        let store = try Entries.open(folder, migrations: MigratorTests.steps + [later])
        #expect(store.isRestoredCopy)
        store.close()
    }
}
