import Storage
import TestSupport
import Testing

/// The contract of every engine behind the SQL interface. Add a new engine to `engines`.
@Suite("The contract of the SQL interface")
struct SQLEngineTests {
    static let engines: [any SQLEngine] = [SQLiteEngine(), FaultingEngine(FaultPlan())]

    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func open(_ engine: any SQLEngine) throws -> any SQLConnection {
        let connection = try engine.openWriter(folder.file("contract"))
        try connection.run(
            script: """
                CREATE TABLE parent (id INTEGER PRIMARY KEY) STRICT;
                CREATE TABLE thing (
                    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, data BLOB, share REAL,
                    size INTEGER CHECK (size > 0), parent INTEGER REFERENCES parent (id)
                ) STRICT;
                """)
        return connection
    }

    @Test("every value is read back byte for byte", arguments: engines.indices)
    func valuesComeBack(_ engine: Int) throws {
        let connection = try open(Self.engines[engine])
        let values: [SQLValue] = [
            .null, .integer(.min), .integer(.max), .integer(0), .real(-0.1), .text(""),
            .text("Zoë 🗝️ \u{212A}"), .blob([]), .blob([0, 1, 0, 255]),
            .blob([UInt8](repeating: 7, count: 100_000)),
        ]
        for value in values {
            let found = try connection.queryOne("SELECT ?", [value]) { $0.values }
            #expect(found == [value])
        }
        try connection.execute(
            "INSERT INTO thing (id, name, data) VALUES (1, ?, ?)", [.text("name"), .blob([0])])
        let stored = try connection.queryOne("SELECT name, data, size FROM thing") { $0.values }
        #expect(stored == [.text("name"), .blob([0]), .null])
    }

    @Test("a statement returns the number of changed rows", arguments: engines.indices)
    func changedRowsAreCounted(_ engine: Int) throws {
        let connection = try open(Self.engines[engine])
        #expect(try connection.execute("INSERT INTO parent (id) VALUES (1), (2), (3)") == 3)
        #expect(try connection.execute("DELETE FROM parent WHERE id > ?", [.integer(1)]) == 2)
        #expect(try connection.execute("DELETE FROM parent WHERE id > 9") == 0)
    }

    @Test("only a statement's own rows are counted", arguments: engines.indices)
    func onlyOwnRowsAreCounted(_ engine: Int) throws {
        let connection = try open(Self.engines[engine])
        try connection.run(
            script: """
                CREATE TABLE child (
                    parent INTEGER NOT NULL REFERENCES parent (id) ON DELETE CASCADE
                ) STRICT;
                """)
        try connection.execute("INSERT INTO parent (id) VALUES (1), (2)")
        try connection.execute("INSERT INTO child (parent) VALUES (1), (1), (2)")
        #expect(try connection.execute("DELETE FROM parent") == 2)
        #expect(try connection.queryOne("SELECT count(*) FROM child") { try $0.integer(0) } == 0)
        // No count of the statement before.
        for sql in ["SELECT 1", "CREATE TABLE other (id INTEGER) STRICT", "DELETE FROM parent"] {
            #expect(try connection.execute(sql) == 0)
        }
    }

    @Test(
        "a violated constraint is reported with its kind",
        arguments: [
            ("INSERT INTO thing (id, name) VALUES (1, 'a'), (2, 'a')", SQLError.Constraint.unique),
            ("INSERT INTO parent (id) VALUES (1), (1)", .unique),
            ("INSERT INTO thing (id) VALUES (1)", .notNull),
            ("INSERT INTO thing (id, name, size) VALUES (1, 'a', 0)", .check),
            ("INSERT INTO thing (id, name, parent) VALUES (1, 'a', 9)", .foreignKey),
            ("INSERT INTO thing (id, name, size) VALUES (1, 'a', 'x')", .type),
        ])
    func constraintsAreTyped(_ sql: String, _ constraint: SQLError.Constraint) throws {
        for engine in Self.engines.prefix(1) {
            let connection = try open(engine)
            let error = #expect(throws: SQLError.self) { try connection.execute(sql) }
            #expect(error?.kind == .constraint(constraint))
        }
    }

    @Test("wrong use is an error, not a trap", arguments: engines.indices)
    func wrongUseIsRefused(_ engine: Int) throws {
        let connection = try open(Self.engines[engine])
        for (sql, values) in [
            ("SELEC 1", []), ("", []), ("SELECT 1; SELECT 2", []), ("SELECT ?", []),
            ("SELECT 1", [SQLValue.null]), ("SELECT ?", [.real(.nan)]), ("COMMIT", []),
            ("SELECT ?", [.text("\0")]), ("SELECT ?", [.text("a\0b")]),
            ("SELECT \"misspelt\" FROM thing", []),
        ] {
            let error = #expect(throws: SQLError.self, "\(sql)") {
                try connection.execute(sql, values)
            }
            #expect(error?.kind == .misuse)
        }
    }

    @Test("a statement may be used while its own rows are read", arguments: engines.indices)
    func statementsNest(_ engine: Int) throws {
        let connection = try open(Self.engines[engine])
        try connection.execute("INSERT INTO parent (id) VALUES (1), (2)")
        let sql = "SELECT id FROM parent ORDER BY id"
        let pairs = try connection.query(sql) { row in
            [try row.integer(0)] + (try connection.query(sql) { try $0.integer(0) })
        }
        #expect(pairs == [[1, 1, 2], [2, 1, 2]])
    }

    @Test("rolling back to a savepoint undoes only what followed it", arguments: engines.indices)
    func marksUndo(_ engine: Int) throws {
        let connection = try open(Self.engines[engine])
        try connection.begin()
        for id in 1...4 {
            try connection.setMark()
            try connection.execute("INSERT INTO parent (id) VALUES (?)", [.integer(Int64(id))])
            if id.isMultiple(of: 2) {
                try connection.rollBackToMark()
            } else {
                try connection.releaseMark()
            }
        }
        try connection.commit()
        #expect(!connection.isInTransaction)
        #expect(try connection.query("SELECT id FROM parent") { try $0.integer(0) } == [1, 3])
    }

    @Test("a reader sees one snapshot and cannot write", arguments: engines.indices)
    func readersAreSnapshots(_ engine: Int) throws {
        let writer = try open(Self.engines[engine])
        let reader = try Self.engines[engine].openReader(folder.file("contract"))
        let count = "SELECT count(*) FROM parent"
        try reader.beginReading()
        #expect(try reader.queryOne(count) { try $0.integer(0) } == 0)
        try writer.execute("INSERT INTO parent (id) VALUES (1)")
        #expect(try reader.queryOne(count) { try $0.integer(0) } == 0)
        try reader.rollBack()
        #expect(try reader.queryOne(count) { try $0.integer(0) } == 1)
        let error = #expect(throws: SQLError.self) { try reader.execute("DELETE FROM parent") }
        #expect(error?.kind == .readOnly)
    }
}
