import CPostgreSQL
import Glibc

/// One connection to a PostgreSQL server, in pipeline mode, with its prepared statements. Closed in
/// `deinit`. Used by one thread at a time.
///
/// Statements whose result is not needed are queued, and sent with the next one whose result is:
/// BEGIN and the locks with the first statement of a flow, each `put` with the statement after it
/// or with COMMIT. That statement then also reports their errors.
final class ServerConnection: SQLConnection {
    /// How long an answer may take: longer than `lock_timeout`. Then the connection is given up.
    static let answerMax: Duration = .seconds(5)
    /// The same for a script of a migration.
    private static let scriptMax: Duration = .seconds(600)
    /// Statements that wait for the next one.
    private static let pendingMax = 128
    /// Prepared statements; a store has some hundred texts.
    private static let statementsMax = 1_024

    let handle: OpaquePointer
    private let locks: SubjectLocks
    private let notices: Notices
    private var statements: [String: Statement] = [:]
    private var pending: [Command] = []
    private var state = State.idle
    /// Whether the server knows of the transaction.
    private var hasBegun = false
    /// Locks of the open transaction.
    private var held: Set<SubjectLocks.Lock> = []
    /// Whether COMMIT of the open transaction may have left this process.
    private var isCommitSent = false
    /// Whether the end of a read is on its way, and its answer is not read yet.
    private var isEnding = false
    /// What went wrong since the last `begin`, or `beginReading`.
    private(set) var failure: ServerFailure?
    /// Whether the connection is over.
    private(set) var isLost = false

    private enum State {
        case idle
        /// In a transaction.
        case open
        /// In one that can only be rolled back.
        case failed
    }

    private struct Command {
        let sql: String
        var values: [SQLValue] = []
        /// Rows that it has to change; nil for any number.
        var changing: Int?
        /// Whether it is no statement of a flow: without any, there is nothing to commit.
        var isControl = false

        static let commit = Command(sql: "COMMIT", isControl: true)

        var isCommit: Bool { sql == Self.commit.sql }
    }

    private struct Statement {
        let name: String
        let parameters: [UInt32]
        let columns: [String]
    }

    /// Connects.
    /// - Throws: `SQLError` of kind `unreachable`.
    init(_ settings: ServerSettings, application: String) throws {
        let parameters = settings.parameters(application: application)
        var keys: [UnsafePointer<CChar>?] = parameters.map { UnsafePointer(strdup($0.key)) }
        var values: [UnsafePointer<CChar>?] = parameters.map { UnsafePointer(strdup($0.value)) }
        defer { for text in keys + values { free(UnsafeMutableRawPointer(mutating: text)) } }
        keys.append(nil)
        values.append(nil)
        guard let handle = PQconnectdbParams(keys, values, 0) else {
            preconditionFailure("no memory for a connection")
        }
        locks = SubjectLocks(schema: settings.schema)
        notices = Notices()
        self.handle = handle
        guard PQstatus(handle) == CONNECTION_OK else {
            throw SQLError(.unreachable, detail: Self.message(handle))
        }
        PQsetNoticeReceiver(
            handle,
            { notices, result in
                guard let notices else { return }
                Unmanaged<Notices>.fromOpaque(notices).takeUnretainedValue().count += 1
            }, Unmanaged.passUnretained(notices).toOpaque())
        PQsetnonblocking(handle, 1)
        PQenterPipelineMode(handle)
        try run(script: settings.session)
    }

    deinit { PQfinish(handle) }

    /// Counts what the server says beside its answers.
    private final class Notices {
        var count = 0
    }

    // MARK: Statements

    var isInTransaction: Bool { state == .open }

    @discardableResult
    func execute(_ sql: String, _ values: [SQLValue]) throws -> Int {
        try send(Command(sql: sql, values: values)).result.changes
    }

    func query<Value>(
        _ sql: String, _ values: [SQLValue], _ row: (SQLRow) throws -> Value
    ) throws -> [Value] {
        let (result, statement) = try send(Command(sql: sql, values: values))
        return try result.rows(statement.columns).map(row)
    }

    func put(_ sql: String, _ values: [SQLValue], changing wanted: Int?) throws {
        let command = Command(sql: sql, values: values, changing: wanted)
        guard isInTransaction, pending.count < Self.pendingMax else {
            _ = try send(command)
            return
        }
        pending.append(command)
    }

    func run(script: String) throws {
        if !pending.isEmpty { _ = try send(nil) }
        try endReading()
        PQexitPipelineMode(handle)
        defer { if !isLost { PQenterPipelineMode(handle) } }
        guard PQsendQuery(handle, script) == 1 else { throw lost() }
        let deadline = Self.deadline(after: Self.scriptMax)
        try flush(deadline)
        var first: ServerFailure?
        while let result = try next(deadline) { first = first ?? result.failure }
        if let first { throw record(first) }
    }

    // MARK: Transactions

    func begin() throws { try begin("BEGIN") }

    func beginReading() throws { try begin("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY") }

    private func begin(_ sql: String) throws {
        failure = nil
        held = []
        pending = [Command(sql: sql, isControl: true)]
        (state, hasBegun, isCommitSent) = (.open, false, false)
    }

    func beginFlow(about subjects: [Subject]) throws { lock(locks.locks(of: subjects)) }

    var hasOtherWriters: Bool { true }

    func lock(_ subject: Subject) throws { lock(locks.locks(of: [subject])) }

    private func lock(_ wanted: [SubjectLocks.Lock]) {
        let new = wanted.filter { !held.contains($0) }
        guard !new.isEmpty else { return }
        held.formUnion(new)
        pending.append(
            Command(
                sql: SubjectLocks.sql, values: SubjectLocks.Lock.parameters(new), isControl: true))
    }

    /// Commits. A notice during COMMIT may say that a standby did not confirm it: then the outcome
    /// is unknown.
    func commit() throws {
        if state == .open, !hasBegun, pending.allSatisfy(\.isControl) {
            pending = []
            state = .idle
            return
        }
        let before = notices.count
        do {
            let result = try send(.commit).result
            state = .idle
            guard result.command == "COMMIT" else {
                throw record(
                    ServerFailure(sqlState: "", message: "COMMIT ended as \(result.command)"))
            }
        } catch {
            if isLost, isCommitSent { failure?.isUnknown = true }
            throw error
        }
        guard notices.count == before else {
            throw record(
                ServerFailure(
                    sqlState: "", message: "the server warned while it committed", isUnknown: true))
        }
    }

    func rollBack() throws {
        pending = []
        guard !isLost else { return state = .idle }
        if state == .idle || !hasBegun { return state = .idle }
        _ = try send(Command(sql: "ROLLBACK", isControl: true))
        state = .idle
    }

    /// Ends a read. The answer is read with the next job, so the caller does not wait for it.
    func finishReading() throws {
        guard state == .open, hasBegun else { return try rollBack() }
        let deadline = Self.deadline(after: Self.answerMax)
        try post(try encoded([.commit], try prepared([.commit], deadline)), deadline)
        state = .idle
        isEnding = true
    }

    private func endReading() throws {
        guard isEnding else { return }
        isEnding = false
        _ = try answers(1, Self.deadline(after: Self.answerMax))
    }

    func setMark() throws { try execute("SAVEPOINT flow") }

    func releaseMark() throws { try execute("RELEASE flow") }

    func rollBackToMark() throws {
        try execute("ROLLBACK TO flow")
        try execute("RELEASE flow")
    }

    // A server has no log that this program could truncate.
    func truncateLog() throws {}

    func copySnapshot(to path: String, isStopped: () -> Bool) throws {
        throw SQLError(.misuse, detail: "a server's store is copied with the server's own tools")
    }

    var dialect: SQLDialect { .postgreSQL }

    func isMarkedAsCopy() throws -> Bool {
        let found = try queryOne("SELECT is_restored FROM store_place WHERE id = 1") {
            try $0.boolean(0)
        }
        return found ?? false
    }

    func forgetCopy() throws { try put("UPDATE store_place SET is_restored = 0 WHERE id = 1", []) }

    // MARK: Conversation

    /// Sends what waits, and `last`, and reads the answers.
    /// - Returns: the last answer, and its statement.
    @discardableResult
    private func send(_ last: Command?) throws -> (result: ServerResult, statement: Statement) {
        guard !isLost else { throw lost() }
        try endReading()
        let commands = pending + (last.map { [$0] } ?? [])
        pending = []
        let deadline = Self.deadline(after: Self.answerMax)
        let statements = try prepared(commands, deadline)
        let calls = try encoded(commands, statements)
        if state == .open { hasBegun = true }
        if last?.isCommit == true { isCommitSent = true }
        try post(calls, deadline)
        let results = try answers(commands.count, deadline)
        if let first = results.lazy.compactMap(\.failure).first { throw record(first) }
        for (command, result) in zip(commands, results) where command.changing != nil {
            do {
                try SQLError.require(command.changing, changed: result.changes, by: command.sql)
            } catch let error as SQLError {
                throw refused(error)
            }
        }
        guard let result = results.last, let statement = statements.last else { throw lost() }
        return (result, statement)
    }

    /// The commands' statements. Prepares those whose text this connection has not seen yet, in a
    /// round trip of their own.
    private func prepared(_ commands: [Command], _ deadline: Duration) throws -> [Statement] {
        let known = commands.compactMap { statements[$0.sql] }
        if known.count == commands.count { return known }
        var new: [String] = []
        for command in commands where statements[command.sql] == nil && !new.contains(command.sql) {
            new.append(command.sql)
        }
        if statements.count + new.count > Self.statementsMax { try forgetStatements(deadline) }
        for (index, sql) in new.enumerated() {
            let name = "s\(statements.count + index)"
            let text = ServerText.numbered(sql)
            guard PQsendPrepare(handle, name, text, 0, nil) == 1,
                PQsendDescribePrepared(handle, name) == 1
            else { throw lost() }
        }
        guard PQpipelineSync(handle) == 1 else { throw lost() }
        try flush(deadline)
        let results = try answers(new.count * 2, deadline)
        if let first = results.lazy.compactMap(\.failure).first {
            // Names of those that were prepared before it may be in use.
            try? forgetStatements(deadline)
            throw record(first)
        }
        let count = statements.count
        for (index, sql) in new.enumerated() {
            let described = results[index * 2 + 1]
            statements[sql] = Statement(
                name: "s\(count + index)", parameters: described.parameterTypes,
                columns: described.columns)
        }
        return try prepared(commands, deadline)
    }

    private func forgetStatements(_ deadline: Duration) throws {
        statements = [:]
        guard PQsendQueryParams(handle, "DEALLOCATE ALL", 0, nil, nil, nil, nil, 1) == 1,
            PQpipelineSync(handle) == 1
        else { throw lost() }
        try flush(deadline)
        _ = try answers(1, deadline)
    }

    /// A prepared statement with its parameters.
    private struct Call {
        let statement: String
        let parameters: ServerParameters
    }

    /// All of a batch before any of it is sent: a value that cannot be sent leaves no half of one.
    private func encoded(_ commands: [Command], _ statements: [Statement]) throws -> [Call] {
        do {
            return try zip(commands, statements).map { command, statement in
                Call(
                    statement: statement.name,
                    parameters: try ServerParameters(command.values, as: statement.parameters))
            }
        } catch let error as SQLError {
            throw refused(error)
        }
    }

    private func post(_ calls: [Call], _ deadline: Duration) throws {
        for call in calls {
            guard call.parameters.send(to: call.statement, handle) else { throw lost() }
        }
        guard PQpipelineSync(handle) == 1 else { throw lost() }
        try flush(deadline)
    }

    // MARK: Failures

    /// Remembers a failure, which a closure of a flow may turn into another error.
    private func record(_ failure: ServerFailure) -> SQLError {
        self.failure = self.failure ?? failure
        if state == .open { state = .failed }
        return failure.error
    }

    /// A statement that was not sent: its flow cannot go on.
    private func refused(_ error: SQLError) -> SQLError {
        if state == .open { state = .failed }
        return error
    }

    /// The connection is over; `said` is what the server said of it.
    func lost(_ said: ServerFailure? = nil) -> SQLError {
        isLost = true
        var failure = said ?? ServerFailure(sqlState: "", message: Self.message(handle))
        failure.isLost = true
        return record(failure)
    }

    private static func message(_ handle: OpaquePointer) -> String {
        let message = PQerrorMessage(handle).map { String(cString: $0) } ?? ""
        return message.isEmpty ? "the connection to the server was lost" : message
    }
}
