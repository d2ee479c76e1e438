import Storage

/// Any engine, with a plan's faults in front of its writer. Readers are unchanged.
struct FaultingEngine: SQLEngine {
    let inner: any SQLEngine
    let plan: FaultPlan

    init(_ plan: FaultPlan, over inner: any SQLEngine = SQLiteEngine()) {
        self.plan = plan
        self.inner = inner
    }

    func openWriter(_ location: String) throws -> any SQLConnection {
        try plan.pass(.open)
        return FaultingConnection(inner: try inner.openWriter(location), plan: plan)
    }

    func openReader(_ location: String) throws -> any SQLConnection {
        try inner.openReader(location)
    }
}

private final class FaultingConnection: SQLConnection {
    let inner: any SQLConnection
    let plan: FaultPlan

    init(inner: any SQLConnection, plan: FaultPlan) {
        self.inner = inner
        self.plan = plan
    }

    var isInTransaction: Bool { inner.isInTransaction }

    func execute(_ sql: String, _ values: [SQLValue]) throws -> Int {
        try plan.pass(.execute)
        return try inner.execute(sql, values)
    }

    func query<Value>(
        _ sql: String, _ values: [SQLValue], _ row: (SQLRow) throws -> Value
    ) throws -> [Value] {
        try plan.pass(.query)
        return try inner.query(sql, values, row)
    }

    func begin() throws {
        try plan.pass(.begin)
        try inner.begin()
    }

    var hasOtherWriters: Bool { inner.hasOtherWriters }

    func beginFlow(about subjects: [Subject]) throws { try inner.beginFlow(about: subjects) }

    func lock(_ subject: Subject) throws { try inner.lock(subject) }

    func beginReading() throws { try inner.beginReading() }

    func commit() throws {
        try plan.pass(.commit)
        try inner.commit()
    }

    func rollBack() throws {
        try plan.pass(.rollBack)
        try inner.rollBack()
    }

    func setMark() throws {
        try plan.pass(.setMark)
        try inner.setMark()
    }

    func releaseMark() throws {
        try plan.pass(.releaseMark)
        try inner.releaseMark()
    }

    func rollBackToMark() throws {
        try plan.pass(.rollBackToMark)
        try inner.rollBackToMark()
    }

    func run(script: String) throws { try inner.run(script: script) }

    func truncateLog() throws { try inner.truncateLog() }

    func copySnapshot(to path: String, isStopped: () -> Bool) throws {
        try inner.copySnapshot(to: path, isStopped: isStopped)
    }
}
