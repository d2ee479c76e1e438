import Storage

/// Runs the SQL that tests write in SQLite's words: on a server in PostgreSQL's. Sources need none
/// of this: their values are parameters.
final class TestWords: SQLConnection {
    private let inner: any SQLConnection

    init(_ inner: any SQLConnection) {
        self.inner = inner
    }

    /// The same in PostgreSQL's words: literals of bytes, and numbers as bytes.
    static func translated(_ sql: String) -> String {
        sql.replacing(/\b[xX]'([0-9a-fA-F]*)'/) { "CAST('\\x\($0.output.1)' AS bytea)" }
            .replacing(/CAST\((\w+) AS BLOB\)/) {
                "convert_to(CAST(\($0.output.1) AS text), 'UTF8')"
            }
            .replacing(/zeroblob\((\d+)\)/) { "decode(repeat('00', \($0.output.1)), 'hex')" }
    }

    func execute(_ sql: String, _ values: [SQLValue]) throws -> Int {
        let count = try inner.execute(Self.translated(sql), values)
        try continueNumbers(after: sql)
        return count
    }

    func query<Value>(
        _ sql: String, _ values: [SQLValue], _ row: (SQLRow) throws -> Value
    ) throws -> [Value] {
        try inner.query(Self.translated(sql), values, row)
    }

    func put(_ sql: String, _ values: [SQLValue], changing wanted: Int?) throws {
        try inner.put(Self.translated(sql), values, changing: wanted)
        try continueNumbers(after: sql)
    }

    var isInTransaction: Bool { inner.isInTransaction }
    var hasOtherWriters: Bool { inner.hasOtherWriters }
    var dialect: SQLDialect { inner.dialect }
    func begin() throws { try inner.begin() }
    func beginReading() throws { try inner.beginReading() }
    func beginFlow(about subjects: [Subject]) throws { try inner.beginFlow(about: subjects) }
    func lock(_ subject: Subject) throws { try inner.lock(subject) }
    func commit() throws { try inner.commit() }
    func rollBack() throws { try inner.rollBack() }
    func setMark() throws { try inner.setMark() }
    func releaseMark() throws { try inner.releaseMark() }
    func rollBackToMark() throws { try inner.rollBackToMark() }
    func isMarkedAsCopy() throws -> Bool { try inner.isMarkedAsCopy() }
    func forgetCopy() throws { try inner.forgetCopy() }
    func run(script: String) throws { try inner.run(script: script) }
    func truncateLog() throws { try inner.truncateLog() }
    func copySnapshot(to path: String, isStopped: () -> Bool) throws {
        try inner.copySnapshot(to: path, isStopped: isStopped)
    }

    /// After rows with numbers that a test chose: SQLite continues after the largest one, and an
    /// identity after the last that it gave.
    private func continueNumbers(after sql: String) throws {
        guard let insertion = sql.firstMatch(of: /INSERT INTO (\w+)\s*\(([\w\s,]+)\)/) else {
            return
        }
        let table = String(insertion.output.1)
        let identity = try inner.queryOne(
            """
            SELECT attname FROM pg_attribute
            WHERE attrelid = to_regclass(?) AND attidentity <> ''
            """, [.text(table)]
        ) { try $0.text(0) }
        let columns = insertion.output.2.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
        guard let identity, columns.contains(where: { $0 == identity }) else { return }
        let sequence = "pg_get_serial_sequence('\(table)', '\(identity)')"
        _ = try inner.query(
            """
            SELECT setval(\(sequence), greatest(
                max(\(identity)), pg_sequence_last_value(CAST(\(sequence) AS regclass)), 1))
            FROM \(table) HAVING max(\(identity)) IS NOT NULL
            """, []
        ) { try $0.integer(0) }
    }
}
