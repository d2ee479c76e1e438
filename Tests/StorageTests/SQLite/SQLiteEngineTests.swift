import Glibc
import Storage
import TestSupport
import Testing

@Suite("SQLite's settings and errors")
struct SQLiteEngineTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("durability and secure deletion are switched on for the writer")
    func settingsAreApplied() throws {
        let writer = try SQLiteEngine().openWriter(folder.file("a"))
        for (pragma, value) in [
            ("synchronous", SQLValue.integer(2)), ("journal_mode", .text("wal")),
            ("foreign_keys", .integer(1)), ("secure_delete", .integer(1)),
            ("trusted_schema", .integer(0)), ("busy_timeout", .integer(5_000)),
            ("journal_size_limit", .integer(64 << 20)),
        ] {
            let found = try writer.queryOne("PRAGMA \(pragma)") { $0.values }
            #expect(found == [value], "\(pragma)")
        }
    }

    @Test("only the owner can read the database files")
    func filesArePrivate() throws {
        let writer = try SQLiteEngine().openWriter(folder.file("a"))
        try writer.run(script: "CREATE TABLE t (id INTEGER)")
        for name in ["a", "a-wal", "a-shm"] {
            var status = stat()
            #expect(stat(folder.file(name), &status) == 0)
            #expect(status.st_mode & 0o777 == 0o600, "\(name)")
        }
    }

    @Test("a file that is not a database is reported as corrupt")
    func otherFilesAreCorrupt() throws {
        let path = try folder.write(String(repeating: "not a database ", count: 100), to: "a")
        let error = #expect(throws: SQLError.self) { try SQLiteEngine().openWriter(path) }
        #expect(error?.kind == .corrupt)
    }

    @Test("text that is not UTF-8 is reported as corrupt and not repaired silently")
    func brokenTextIsCorrupt() throws {
        let writer = try SQLiteEngine().openWriter(folder.file("a"))
        let error = #expect(throws: SQLError.self) {
            try writer.query("SELECT CAST(x'ff41' AS TEXT)") { $0 }
        }
        #expect(error?.kind == .corrupt)
    }

    @Test("more statements than the cache holds all work repeatedly")
    func cacheIsBounded() throws {
        let writer = try SQLiteEngine().openWriter(folder.file("a"))
        for _ in 0..<2 {
            for number in 0..<300 {
                let found = try writer.queryOne("SELECT \(number)") { try $0.integer(0) }
                #expect(found == Int64(number))
            }
        }
    }
}
