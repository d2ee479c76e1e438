import TestSupport
import Testing

@testable import Storage

@Suite("SQLite's page cache")
struct SQLiteCacheTests {
    @Test("B21: a connection's page cache is bounded, however much is written and read")
    func bounded() throws {
        let folder = try TemporaryFolder()
        let engine = SQLiteEngine()
        let writer = try engine.openWriter(folder.file("a"))
        try writer.run(script: "CREATE TABLE t (id INTEGER PRIMARY KEY, body BLOB) STRICT")
        let body = SQLValue.blob([UInt8](repeating: 7, count: 3_000))
        for _ in 0..<40 {
            try writer.begin()
            for _ in 0..<400 { try writer.execute("INSERT INTO t (body) VALUES (?)", [body]) }
            try writer.commit()
        }
        let reader = try engine.openReader(folder.file("a"))
        let total = try reader.queryOne("SELECT sum(length(body)) FROM t") { row in
            try row.integer(0)
        }
        let bound = SQLiteEngine.cacheKiBMax * 1_024
        // More than twice the cache's limit was written, and the writer's cache is over half full.
        let sizes = try [writer, reader].map { connection in
            try #require(connection as? SQLiteConnection).cachedBytes
        }
        #expect(total ?? 0 > 2 * Int64(bound))
        #expect(sizes.allSatisfy { $0 < bound + bound / 8 }, "\(sizes)")
        #expect(sizes[0] > bound / 2, "\(sizes)")
    }
}
