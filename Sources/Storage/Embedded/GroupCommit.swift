import Logging
import ServiceRuntime

/// Group commit: several flows share one commit. A flow is one caller's transaction.
///
/// A commit waits for the disk, often for some milliseconds, however much it writes. So the flows
/// that arrived during the last commit are written together and share the next one
/// (Tests/Benchmarks/README.md, Commit and refresh):
///
///     idle ── flows ──▶ begun ── one flow at a time ──▶ run ── commit ──▶ durable ──▶ answered
///                         │              │               │
///                         │              └─ throws: rolled back to its savepoint
///                         │                              │
///                         └───── the engine fails ───────┴──▶ rolled back ──▶ all failed
///
/// The rules:
/// 1. No flow is answered before the commit has returned; then all are, whatever their result. A
///    flow that threw waits as well: its error ("this address is taken") may depend on what an
///    earlier flow of the group wrote, and that is true only once it is durable.
/// 2. A flow that throws undoes only its own writes. Each flow runs between a savepoint and its
///    release. A flow alone in its group needs none: the transaction itself is rolled back.
/// 3. A failure of the engine (`begin`, a savepoint, `commit`, or a statement in a flow by which
///    the engine ended the whole transaction, as a full disk can) rolls back the group and fails
///    every flow in it with that error. Whether such a commit is on disk after a power failure is
///    unknown, as with any lost response: callers retry with their idempotency key.
/// 4. After a failure the connection is rolled back. If that fails too, it is closed and reopened
///    before the next group. When a full disk has space again, writes resume without a restart.
/// 5. Outside of `commit(_:)` the connection is in no transaction.
struct GroupCommit {
    /// Opens the writer's connection.
    let open: () throws -> any SQLConnection
    /// The clock that stamps each flow.
    let time: any Time
    /// The store's instance.
    let instance: Int64
    let logger: Logger
    /// Health status: whether writes reach the disk.
    let writes: PartCondition
    /// Called after a commit that added messages to the outbox.
    let announce: () -> Void
    /// The connection; nil after a failure that closed it.
    var connection: (any SQLConnection)?
    private var mark: ClockMark
    private var failures: CommitFailures

    /// A writer that opens its connection at the first group.
    init(
        open: @escaping () throws -> any SQLConnection, time: any Time, clock: ClockHold,
        instance: Int64, logger: Logger, writes: PartCondition, announce: @escaping () -> Void
    ) {
        self.open = open
        self.time = time
        self.instance = instance
        mark = ClockMark(time: time, clock: clock)
        self.logger = logger
        self.writes = writes
        self.announce = announce
        failures = CommitFailures(writes: writes, logger: logger)
    }

    /// The result of one flow of a group, delivered after the commit.
    private enum Outcome {
        case succeeded(Queued<Transaction>.Answer)
        case threw(any Error)
    }

    /// Runs the flows in one transaction, commits, and answers all of them.
    mutating func commit(_ flows: [Flow]) {
        let state = Transaction.CommitState()
        let outcomes: [Outcome]
        var isCommitted = false
        do {
            let connection = try openConnection()
            try connection.begin()
            outcomes = try run(flows, connection, state)
            // A single flow that threw has rolled back the transaction already.
            if connection.isInTransaction {
                let written = try mark.write(connection)
                try connection.commit()
                mark.written = written
                isCommitted = true
            }
        } catch {
            undo(after: error, flows: flows.count)
            for flow in flows { flow.work.fail(StoreFailure.answer(to: error)) }
            return
        }
        recordSuccess(outcomes, isCommitted: isCommitted)
        if state.hasEnqueued { announce() }
        for (flow, outcome) in zip(flows, outcomes) {
            switch outcome {
            case .succeeded(let answer): answer()
            case .threw(let error): flow.work.fail(StoreFailure.answer(to: error))
            }
        }
    }

    /// The connection, opened if there is none.
    mutating func openConnection() throws -> any SQLConnection {
        let connection = try connection ?? open()
        self.connection = connection
        return connection
    }

    private func run(
        _ flows: [Flow], _ connection: any SQLConnection,
        _ state: Transaction.CommitState
    ) throws -> [Outcome] {
        if let only = flows.first, flows.count == 1 {
            return [try runAlone(only, connection, state)]
        }
        return try flows.map { try runMarked($0, connection, state) }
    }

    /// Rule 2, for a single flow in its transaction.
    private func runAlone(
        _ flow: Flow, _ connection: any SQLConnection,
        _ state: Transaction.CommitState
    ) throws -> Outcome {
        let outcome = runOne(flow, connection, state)
        try requireOpen(connection, outcome)
        if case .threw = outcome { try connection.rollBack() }
        return outcome
    }

    /// Rule 2, for one of several flows.
    private func runMarked(
        _ flow: Flow, _ connection: any SQLConnection,
        _ state: Transaction.CommitState
    ) throws -> Outcome {
        try connection.setMark()
        let outcome = runOne(flow, connection, state)
        try requireOpen(connection, outcome)
        if case .threw = outcome {
            try connection.rollBackToMark()
        } else {
            try connection.releaseMark()
        }
        return outcome
    }

    private func runOne(
        _ flow: Flow, _ connection: any SQLConnection,
        _ state: Transaction.CommitState
    ) -> Outcome {
        do {
            try connection.beginFlow(about: flow.about)
            let transaction = Transaction(
                at: time.now(), instance: instance, connection: connection, commit: state)
            return .succeeded(try flow.work.run(transaction))
        } catch {
            return .threw(error)
        }
    }

    /// Rule 3: the engine may have ended the transaction inside the flow.
    private func requireOpen(_ connection: any SQLConnection, _ outcome: Outcome) throws {
        guard !connection.isInTransaction else { return }
        if case .threw(let error) = outcome, error is SQLError { throw error }
        throw SQLError(.other, detail: "a flow, or the engine within it, ended the transaction")
    }

    /// Rule 4.
    private mutating func undo(after error: any Error, flows: Int) {
        failures.record(error, flows: flows)
        guard let connection, connection.isInTransaction else { return }
        do {
            try connection.rollBack()
        } catch {
            logger.error(
                "store.reopened", "reopening the store after a failed commit",
                fields: [.detail: .error(error)])
            self.connection = nil
        }
    }

    /// - Parameter isCommitted: false when all was rolled back, which says nothing about the disk.
    private mutating func recordSuccess(_ outcomes: [Outcome], isCommitted: Bool) {
        // One flow's statement may have failed on a full disk while the writes of the others had
        // space.
        let failure = outcomes.lazy.compactMap { outcome in
            if case .threw(let error) = outcome { StoreFailure.ofDisk(error) } else { nil }
        }.first
        if let failure { writes.fail(CommitFailures.source, failure) }
        guard isCommitted else { return }
        if failure == nil { writes.work(CommitFailures.source) }
        let former = failures.end()
        guard former > 0 else { return }
        logger.warning(
            "store.commit.recovered", "commits work again", fields: [.count: .count(former)])
    }
}
