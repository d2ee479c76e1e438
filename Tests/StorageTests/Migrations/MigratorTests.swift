import TestSupport
import Testing

@testable import Storage

@Suite("Migrations of a store's schema")
struct MigratorTests {
    static let steps = [
        Entries.migrations[0],
        Migration(number: 2, sql: "ALTER TABLE entry ADD COLUMN colour TEXT DEFAULT 'red'"),
        Migration(
            number: 3,
            sql: "CREATE TABLE extra (id INTEGER PRIMARY KEY); INSERT INTO extra VALUES (1)"),
    ]

    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("every earlier version is migrated with its rows", arguments: 0...3)
    func everyEarlierVersion(_ version: Int) async throws {
        let old = try Entries.open(folder, migrations: Array(Self.steps.prefix(version)))
        if version > 0 { try await old.write(about: []) { try $0.insertEntry(1) } }
        old.close()
        let new = try Entries.open(folder, migrations: Self.steps)
        let (colours, extras) = try await new.read { session in
            (
                try session.query("SELECT colour FROM entry") { try $0.text(0) },
                try session.query("SELECT id FROM extra") { try $0.integer(0) }
            )
        }
        #expect(colours == (version > 0 ? ["red"] : []))
        #expect(extras == [1])
        new.close()
    }

    @Test("an older program runs on a newer schema, with a warning")
    func oldProgramRuns() async throws {
        try Entries.open(folder, migrations: Self.steps).close()
        let log = CapturedLog()
        let old = try Entries.open(folder, log: log)
        try await old.write(about: []) { try $0.insertEntry(1) }
        #expect(try await old.read { try $0.entries() } == [1])
        #expect(log.lines.contains { $0.contains("store.version.newer") })
        old.close()
    }

    @Test("a failed migration is rolled back whole, and the error has its number")
    func failedStepIsUndone() async throws {
        let wrong = Migration(number: 2, sql: "CREATE TABLE half (id INTEGER); SELEC")
        let error = #expect(throws: StoreError.self) {
            try Entries.open(folder, migrations: [Self.steps[0], wrong])
        }
        guard case .migrationFailed("service", 2, _) = error else {
            Issue.record("another error: \(String(describing: error))")
            return
        }
        let store = try Entries.open(folder)
        await #expect(throws: SQLError.self) {
            try await store.read { try $0.query("SELECT id FROM half") { $0 } }
        }
        store.close()
    }
}
