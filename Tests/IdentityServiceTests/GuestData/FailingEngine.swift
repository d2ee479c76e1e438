import Storage
import Synchronization
import TestSupport

/// The store of a test whose next flow fails at one of its statements, as on a disk that fails.
struct FailingEngine: SQLEngine {
    /// Which statement of a flow fails.
    final class Plan: Sendable {
        private let left = Mutex<Int?>(nil)

        /// Fails the `number`-th statement from now, from 1.
        func fail(_ number: Int) { left.withLock { $0 = number } }

        /// Ends the plan.
        /// - Returns: whether the statement failed.
        func end() -> Bool {
            left.withLock { left in
                defer { left = nil }
                return left == 0
            }
        }

        fileprivate func pass() throws {
            let fails = left.withLock { number in
                guard let now = number, now > 0 else { return false }
                number = now - 1
                return now == 1
            }
            if fails { throw SQLError(.other, detail: "injected") }
        }
    }

    let plan: Plan
    private let inner = SubjectChecks()

    init(_ plan: Plan) { self.plan = plan }

    func openWriter(_ location: String) throws -> any SQLConnection {
        FailingConnection(try inner.openWriter(location), plan)
    }

    func openReader(_ location: String) throws -> any SQLConnection {
        try inner.openReader(location)
    }
}

private final class FailingConnection: SQLConnection {
    private let inner: any SQLConnection
    private let plan: FailingEngine.Plan
    /// From a flow's first statement to its end; for a flow alone, to the commit.
    private var isInFlow = false

    init(_ inner: any SQLConnection, _ plan: FailingEngine.Plan) {
        self.inner = inner
        self.plan = plan
    }

    var isInTransaction: Bool { inner.isInTransaction }
    var hasOtherWriters: Bool { inner.hasOtherWriters }

    func execute(_ sql: String, _ values: [SQLValue]) throws -> Int {
        if isInFlow { try plan.pass() }
        return try inner.execute(sql, values)
    }

    func query<Value>(
        _ sql: String, _ values: [SQLValue], _ row: (SQLRow) throws -> Value
    ) throws -> [Value] {
        if isInFlow { try plan.pass() }
        return try inner.query(sql, values, row)
    }

    func begin() throws { try inner.begin() }
    func beginReading() throws { try inner.beginReading() }
    func beginFlow(about subjects: [Subject]) throws {
        try inner.beginFlow(about: subjects)
        isInFlow = true
    }

    func lock(_ subject: Subject) throws { try inner.lock(subject) }

    func commit() throws {
        isInFlow = false
        try inner.commit()
    }

    func rollBack() throws {
        isInFlow = false
        try inner.rollBack()
    }

    func setMark() throws { try inner.setMark() }
    func releaseMark() throws {
        isInFlow = false
        try inner.releaseMark()
    }

    func rollBackToMark() throws {
        isInFlow = false
        try inner.rollBackToMark()
    }

    func run(script: String) throws { try inner.run(script: script) }
    func truncateLog() throws { try inner.truncateLog() }
    func copySnapshot(to path: String, isStopped: () -> Bool) throws {
        try inner.copySnapshot(to: path, isStopped: isStopped)
    }
}
