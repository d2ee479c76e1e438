package import Storage

/// SQLite with a check that each flow declares what it decides about: every row that it writes must
/// belong to one of its subjects (`Subject`). On SQLite an undeclared subject does no harm; on a
/// server, with several writers, it loses updates. A flow that does so fails with `SQLError` of
/// kind `misuse`.
///
/// A row belongs to the hash in its column `account_hash` or `number_key` (`Subject.hash`), else to
/// the account in its column `account`, else, or also, to itself (`Subject.row`) or to its webhook.
/// `Subject.table` covers all rows. New rows of no account need no subject: no flow reads them
/// before the commit, and a unique index refuses the second of two.
package struct SubjectChecks: SQLEngine {
    /// Tables whose rows no flow reads to decide about a subject.
    private static let free: Set<String> = [
        "account_seen",  // moves forward only
        "audit",  // rows are only added
        "audit_count",  // counters, changed by statements that add
        "clock_mark",  // one row, which only moves forward
        "dead_letter",  // a part of its message
        "event",  // rows are only added
        "failed_try",  // rows are only added
        "guesses",  // the first row of a charge stays
        "idempotency",  // a second row of a call is refused by its key
        "message",  // every change names the state, attempts and holder that it was read with
        "newcomer_bytes",  // a flow locks the hash of its address, and has its guest's account
        "outbox",  // a row is changed only by its holder
        "push_call",  // the expired row of a call is replaced by its key
        "refusal_count",  // counters, changed by statements that add
        "stopped_address",  // each statement replaces the row of a hash
        "stopped_number",  // the same
        "underage_devices",  // the same
    ]

    private let inner: any SQLEngine

    /// Checks in front of an engine.
    package init(over inner: any SQLEngine = SQLiteEngine()) {
        self.inner = inner
    }

    /// See `SQLEngine`.
    /// - Throws: as the engine behind it.
    package func openWriter(_ location: String) throws -> any SQLConnection {
        CheckedConnection(try inner.openWriter(location), free: Self.free)
    }

    /// See `SQLEngine`.
    /// - Throws: as the engine behind it.
    package func openReader(_ location: String) throws -> any SQLConnection {
        try inner.openReader(location)
    }
}

/// A connection whose temporary triggers tell which rows a flow wrote.
private final class CheckedConnection: SQLConnection {
    /// Columns that statements only move forward, whatever other flows do.
    private static let forward: Set<String> = ["session.used_at_ms"]

    private let inner: any SQLConnection
    private let free: Set<String>
    private var subjects: Set<Subject> = []
    private var hasTriggers = false
    /// Whether this transaction made them, so that rolling it back removes them.
    private var isNew = false

    init(_ inner: any SQLConnection, free: Set<String>) {
        self.inner = inner
        self.free = free
    }

    var isInTransaction: Bool { inner.isInTransaction }

    func execute(_ sql: String, _ values: [SQLValue]) throws -> Int {
        try inner.execute(sql, values)
    }

    func query<Value>(
        _ sql: String, _ values: [SQLValue], _ row: (SQLRow) throws -> Value
    ) throws -> [Value] {
        try inner.query(sql, values, row)
    }

    func begin() throws {
        subjects = []
        try inner.begin()
    }

    func beginReading() throws { try inner.beginReading() }

    var hasOtherWriters: Bool { inner.hasOtherWriters }

    func beginFlow(about subjects: [Subject]) throws {
        if !hasTriggers { try makeTriggers() }
        try inner.execute("DELETE FROM temp.written", [])
        self.subjects = Set(subjects)
        try inner.beginFlow(about: subjects)
    }

    func lock(_ subject: Subject) throws {
        subjects.insert(subject)
        try inner.lock(subject)
    }

    func commit() throws {
        try check()
        try inner.commit()
        isNew = false
    }

    func rollBack() throws {
        forgetNewTriggers()
        try inner.rollBack()
    }

    func setMark() throws { try inner.setMark() }

    func releaseMark() throws {
        try check()
        try inner.releaseMark()
    }

    func rollBackToMark() throws {
        forgetNewTriggers()
        try inner.rollBackToMark()
        // The flow before it has been checked.
        if hasTriggers { try inner.execute("DELETE FROM temp.written", []) }
    }

    private func forgetNewTriggers() {
        if isNew { (hasTriggers, isNew) = (false, false) }
    }

    func run(script: String) throws { try inner.run(script: script) }

    func truncateLog() throws { try inner.truncateLog() }

    func copySnapshot(to path: String, isStopped: () -> Bool) throws {
        try inner.copySnapshot(to: path, isStopped: isStopped)
    }

    /// - Throws: `SQLError` of kind `misuse` that names the table and the missing subject.
    private func check() throws {
        guard hasTriggers else { return }
        let written = try inner.query(
            "SELECT DISTINCT name, verb, account, hash, key FROM temp.written", []
        ) {
            row in try Written(row)
        }
        for row in written where !row.isCovered(by: subjects) {
            throw SQLError(
                .misuse, detail: "a flow about \(subjects) wrote without its subject: \(row)")
        }
    }

    private func makeTriggers() throws {
        (hasTriggers, isNew) = (true, true)
        try inner.run(
            script: "CREATE TEMP TABLE IF NOT EXISTS written (name, verb, account, hash, key)")
        let tables = try inner.query(
            "SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
            []
        ) { try $0.text(0) }
        for table in tables where !free.contains(table) { try makeTriggers(of: table) }
    }

    private func makeTriggers(of table: String) throws {
        var columns = try inner.query(
            "SELECT name, type, pk FROM pragma_table_info(?)", [.text(table)]
        ) { (name: try $0.text("name"), type: try $0.text("type"), pk: try $0.integer("pk")) }
        let keys = columns.filter { $0.pk > 0 }
        let owners = ["account", "account_hash", "number_key"].map { name in
            columns.first { $0.name == name }?.name
        }
        columns.removeAll { Self.forward.contains("\(table).\($0.name)") }
        let changed = columns.map(\.name).joined(separator: ", ")
        let webhook = columns.first { $0.name == "webhook" }?.name
        let read = [
            owners[0], owners[1] ?? owners[2],
            webhook ?? (keys.count == 1 && keys[0].type == "INTEGER" ? keys[0].name : nil),
        ]
        let verbs = [
            ("INSERT", "INSERT", ["NEW"]), ("UPDATE", "UPDATE OF \(changed)", ["OLD", "NEW"]),
            ("DELETE", "DELETE", ["OLD"]),
        ]
        for (verb, event, rows) in verbs {
            let inserts = rows.map { row in
                let values = read.map { name in name.map { "\(row).\($0)" } ?? "NULL" }
                return """
                    INSERT INTO written VALUES (
                        '\(webhook ?? table)', '\(verb)', \(values.joined(separator: ", ")));
                    """
            }
            try inner.run(
                script: """
                    CREATE TEMP TRIGGER IF NOT EXISTS \(table)_\(verb) AFTER \(event) ON main.\(table)
                    BEGIN \(inserts.joined(separator: " ")) END
                    """)
        }
    }
}

/// A row that a flow wrote.
private struct Written: CustomStringConvertible {
    let table: String
    let verb: String
    let account: Int64?
    let hash: [UInt8]?
    let key: Int64?

    init(_ row: SQLRow) throws {
        table = try row.text("name")
        verb = try row.text("verb")
        account = try row.optionalInteger("account")
        hash = try row.optionalBlob("hash")
        key = try row.optionalInteger("key")
    }

    var description: String {
        "\(verb) of \(table), row \(key ?? 0), account \(account ?? 0)"
    }

    func isCovered(by subjects: Set<Subject>) -> Bool {
        if subjects.contains(.table(table)) || subjects.contains(.unchecked) { return true }
        if verb == "DELETE", subjects.contains(.expired) { return true }
        if let hash, subjects.contains(.hash(hash)) { return true }
        if let key, subjects.contains(.row(table, key)) { return true }
        if let account, hash == nil { return subjects.contains(.account(account)) }
        return verb == "INSERT"
    }
}

extension Subject {
    /// Every row of every table, for tests that arrange a store.
    fileprivate static let unchecked = Subject.table("*")
}

extension Store {
    /// Writes rows that a test needs, without a check of their subjects, in SQLite's words
    /// (`TestWords`).
    /// - Throws: as `write`.
    package func writeUnchecked<Value: Sendable>(
        _ flow: @escaping @Sendable (Transaction) throws -> Value
    ) async throws -> Value {
        guard server != nil else { return try await write(about: [.unchecked], flow) }
        return try await write(about: [.unchecked]) {
            try flow(Transaction(of: $0) { TestWords($0) })
        }
    }
}
