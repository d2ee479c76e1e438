import Glibc
import ServiceRuntime
import Storage

/// A flow on a thread of its own, which stops before each statement until `advance` continues it.
/// Only one of all threads runs at a time.
///
/// `@unchecked Sendable`: the two semaphores order all accesses.
final class FlowTurns: @unchecked Sendable {
    /// Where the flow is.
    enum State {
        /// Before a statement.
        case stopped
        /// It waits for a subject that another flow holds.
        case blocked
        /// It has returned or thrown.
        case ended
    }

    private(set) var state = State.stopped
    private(set) var hasThrown = false
    fileprivate(set) var hasWritten = false
    private(set) var outcome = ""
    private var mustEnd = false
    private let locks: SubjectLocks
    private let mayRun = Semaphore()
    private let hasStopped = Semaphore()
    private var thread: OSThread?

    init(_ flow: Flow, _ transaction: Transaction, _ locks: SubjectLocks) {
        self.locks = locks
        let confined = Confined(transaction)
        do {
            thread = try OSThread { [self] in run(flow, confined.transaction) }
        } catch {
            preconditionFailure("\(error)")
        }
    }

    /// Runs to the next statement.
    /// - Returns: where the flow is then.
    func advance() -> State {
        guard state != .ended else { return .ended }
        mayRun.post()
        hasStopped.wait()
        return state
    }

    /// Ends a flow that waits for a lock.
    func end() {
        mustEnd = true
        while advance() != .ended {}
    }

    private func run(_ flow: Flow, _ transaction: Transaction) {
        mayRun.wait()
        do {
            for subject in flow.about { try lock(subject) }
            _ = try flow.work.run(Transaction(of: transaction) { SteppedConnection($0, self) })
            outcome = "returned"
        } catch {
            hasThrown = true
            outcome = "threw \(error)"
        }
        locks.release(self)
        state = .ended
        hasStopped.post()
    }

    /// Stops until `advance` is called.
    fileprivate func stop() throws {
        try rest(.stopped)
    }

    fileprivate func lock(_ subject: Subject) throws {
        while !locks.take(subject, self) { try rest(.blocked) }
    }

    private func rest(_ state: State) throws {
        self.state = state
        hasStopped.post()
        mayRun.wait()
        if mustEnd { throw SQLError(.other, detail: "deadlock") }
    }

    private struct Confined: @unchecked Sendable {
        let transaction: Transaction

        init(_ transaction: Transaction) {
            self.transaction = transaction
        }
    }
}

/// Which flow holds which subject. Used by one thread at a time.
final class SubjectLocks {
    private var holders: [Subject: FlowTurns] = [:]

    func take(_ subject: Subject, _ flow: FlowTurns) -> Bool {
        if let holder = holders[subject], holder !== flow { return false }
        holders[subject] = flow
        return true
    }

    func release(_ flow: FlowTurns) { holders = holders.filter { $0.value !== flow } }
}

/// A connection that stops before each statement.
private final class SteppedConnection: SQLConnection {
    private let inner: any SQLConnection
    private let turns: FlowTurns

    init(_ inner: any SQLConnection, _ turns: FlowTurns) {
        self.inner = inner
        self.turns = turns
    }

    var isInTransaction: Bool { inner.isInTransaction }

    func execute(_ sql: String, _ values: [SQLValue]) throws -> Int {
        try turns.stop()
        let count = try inner.execute(sql, values)
        if count > 0 { turns.hasWritten = true }
        return count
    }

    func query<Value>(
        _ sql: String, _ values: [SQLValue], _ row: (SQLRow) throws -> Value
    ) throws -> [Value] {
        try turns.stop()
        return try inner.query(sql, values, row)
    }

    func lock(_ subject: Subject) throws {
        try turns.stop()
        try turns.lock(subject)
        try inner.lock(subject)
    }

    var hasOtherWriters: Bool { true }

    // A flow has only statements and locks.
    func begin() throws { try inner.begin() }
    func beginReading() throws { try inner.beginReading() }
    func beginFlow(about subjects: [Subject]) throws { try inner.beginFlow(about: subjects) }
    func commit() throws { try inner.commit() }
    func rollBack() throws { try inner.rollBack() }
    func setMark() throws { try inner.setMark() }
    func releaseMark() throws { try inner.releaseMark() }
    func rollBackToMark() throws { try inner.rollBackToMark() }
    func run(script: String) throws { try inner.run(script: script) }
    func truncateLog() throws { try inner.truncateLog() }
    func copySnapshot(to path: String, isStopped: () -> Bool) throws {
        try inner.copySnapshot(to: path, isStopped: isStopped)
    }
}

/// A counting semaphore of the system.
private final class Semaphore: @unchecked Sendable {
    private let handle = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    init() { sem_init(handle, 0, 0) }

    deinit {
        sem_destroy(handle)
        handle.deallocate()
    }

    func post() { sem_post(handle) }

    func wait() { while sem_wait(handle) != 0 {} }
}
