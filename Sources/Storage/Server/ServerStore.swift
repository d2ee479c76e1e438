import Cryptography
import Glibc
import Logging
import ServiceRuntime
import Synchronization

/// What runs a store's flows and queries on a server: threads with a connection each, which take
/// the next flow or query. A flow is one transaction, and holds the locks of its subjects from
/// before its first read until it has ended.
final class ServerStore: StoreBackend {
    private let queue: ServerQueue
    private let threads = Mutex<[OSThread]>([])
    private let link: StoreLink

    /// Starts the threads.
    /// - Throws: `OSThread.NotStarted`.
    init(
        _ settings: ServerSettings, _ limits: Store.Limits, _ link: StoreLink,
        worker: @escaping @Sendable () -> ServerWorker
    ) throws {
        queue = ServerQueue(limits, connections: settings.connections)
        self.link = link
        for _ in 0..<max(2, settings.connections) {
            let thread = try OSThread { [queue] in
                var worker = worker()
                worker.work(queue)
            }
            threads.withLock { $0.append(thread) }
        }
    }

    deinit {
        queue.close()
        link.close()
    }

    var waitingWrites: Int { queue.waitingFlows }

    func write(_ job: WriterJob) throws(QueueRefusal) {
        let displaced = try queue.offer(job)
        if case .flow(let flow) = displaced { flow.work.fail(QueueRefusal.ownerFull) }
    }

    func read(_ query: Queued<any SQLSession>) throws(QueueRefusal) { try queue.offer(query) }

    func close() {
        queue.close()
        for thread in threads.withLock({ $0 }) { thread.join() }
        link.close()
    }
}

/// One thread's work: flows and queries on its connection.
struct ServerWorker {
    /// Runs of a flow after the first one.
    private static let repeatsMax = 5
    /// Pauses before them, in microseconds: long enough for the other flow of a deadlock to end.
    private static let pauses: ClosedRange<UInt32> = 5_000...50_000
    /// CPU time of its thread that a flow may take before it is reported: it holds locks, and a
    /// server ends a transaction that does nothing for 2 s. By the wall clock a busy machine would
    /// be reported.
    static let flowTimeMax: Duration = .milliseconds(200)

    let open: () throws -> ServerConnection
    let time: any Time
    let instance: Int64
    let logger: Logger
    let metrics: StoreMetrics
    let served: ServerMetrics
    let writes: PartCondition
    let mark: ServerClockMark
    let link: StoreLink
    let announce: () -> Void
    var connection: ServerConnection?
    private var failures: CommitFailures

    init(
        open: @escaping () throws -> ServerConnection, time: any Time, instance: Int64,
        logger: Logger, metrics: StoreMetrics, served: ServerMetrics, writes: PartCondition,
        mark: ServerClockMark, link: StoreLink, announce: @escaping () -> Void
    ) {
        (self.open, self.time, self.instance, self.logger) = (open, time, instance, logger)
        (self.metrics, self.served, self.writes) = (metrics, served, writes)
        (self.mark, self.link, self.announce) = (mark, link, announce)
        failures = CommitFailures(writes: writes, logger: logger)
    }

    /// Runs until the queue is closed and empty.
    mutating func work(_ queue: ServerQueue) {
        while let taken = queue.take() {
            switch taken.job {
            case .flow(.flow(let flow)): run(flow, waiting: queue.waitingFlows)
            case .flow(.truncateLog(let continuation)): continuation.resume()
            case .flow(.hold(_, let work)):
                work.fail(SQLError(.misuse, detail: "a server's store has no snapshots"))
            case .query(let query): run(query)
            }
            queue.finish(taken)
        }
        connection = nil
    }

    // MARK: Flows

    private mutating func run(_ flow: Flow, waiting: Int) {
        var repeats = 0
        var isSecond = false
        while true {
            if flow.work.isGone { return flow.work.fail(CallerGone()) }
            do {
                let answer = try runOnce(flow, waiting)
                recordSuccess()
                return answer()
            } catch {
                let failure = failure(of: error)
                let error = failure?.remedy == .unknown ? failure?.error ?? error : error
                undo()
                switch failure?.remedy {
                case .repeated where repeats < Self.repeatsMax:
                    repeats += 1
                    if let failure { served.countRepeat(failure.cause) }
                    pause()
                case .repeatedOnce where !isSecond:
                    isSecond = true
                    if let failure { served.countRepeat(failure.cause) }
                case .later:
                    if failure?.isLockWait == true { served.countLockWait() }
                    return flow.work.fail(Self.later(error))
                default:
                    if failure?.remedy == .unknown { served.countUnknown() }
                    if let failure { record(failure) }
                    return flow.work.fail(StoreFailure.answer(to: error))
                }
            }
        }
    }

    private mutating func runOnce(
        _ flow: Flow, _ waiting: Int
    ) throws -> Queued<Transaction>.Answer {
        let connection = try openConnection()
        try connection.begin()
        try link.requireHeld()
        let state = Transaction.CommitState()
        try connection.beginFlow(about: flow.about)
        let began = Self.threadTime
        let answer = try flow.work.run(
            Transaction(at: time.now(), instance: instance, connection: connection, commit: state))
        reportIfCostly(Self.threadTime - began)
        guard connection.isInTransaction else {
            throw connection.failure?.error
                ?? SQLError(.other, detail: "a flow ended its transaction")
        }
        try metrics.measureCommit(waiting: waiting) {
            try mark.write(connection) { try connection.commit() }
        }
        if state.hasEnqueued { announce() }
        return answer
    }

    private func reportIfCostly(_ used: Duration) {
        guard used > Self.flowTimeMax else { return }
        logger.warning(
            "store.flow.costly", "a flow computed for long while it held its locks",
            fields: [.milliseconds: .milliseconds(used)])
    }

    private static var threadTime: Duration { SystemTime.read(CLOCK_THREAD_CPUTIME_ID) }

    /// What the connection knows of a failure; nil for an error of the flow itself.
    private func failure(of error: any Error) -> ServerFailure? {
        if let failure = connection?.failure { return failure }
        guard let error = error as? SQLError, error.kind == .unreachable else { return nil }
        return ServerFailure(sqlState: "", message: error.detail, isLost: true)
    }

    /// Ends the transaction, or the connection if that fails.
    private mutating func undo() {
        guard let open = connection else { return }
        do {
            try open.rollBack()
            if open.isLost { connection = nil }
        } catch {
            connection = nil
        }
    }

    private mutating func openConnection() throws -> ServerConnection {
        if let connection, !connection.isLost { return connection }
        connection = nil
        let new = try open()
        connection = new
        return new
    }

    private func pause() {
        let drawn = SecureRandomness().integer() % UInt64(Self.pauses.count)
        usleep(Self.pauses.lowerBound + UInt32(drawn))
    }

    private static func later(_ error: any Error) -> ServiceError {
        ServiceError(
            .unavailable, retryAfter: .milliseconds(250), unavailablePart: "store",
            detail: "store: \(error)", notProcessed: true)
    }

    private mutating func record(_ failure: ServerFailure) {
        guard failure.isLost || StoreFailure.ofDisk(failure.error) != nil else { return }
        failures.record(failure.error, flows: 1)
    }

    private mutating func recordSuccess() {
        writes.work(CommitFailures.source)
        _ = failures.end()
    }

    // MARK: Queries

    private mutating func run(_ query: Queued<any SQLSession>) {
        var repeats = 0
        while true {
            if query.isGone { return query.fail(CallerGone()) }
            do {
                let connection = try openConnection()
                try connection.beginReading()
                let answer = try query.run(connection)
                // Its answer is there; a connection that fails now is opened anew for the next one.
                try? connection.finishReading()
                return answer()
            } catch {
                let failure = failure(of: error)
                undo()
                if let failure, failure.remedy == .repeated, failure.sqlState != "25006",
                    repeats < Self.repeatsMax
                {
                    repeats += 1
                    pause()
                } else {
                    return query.fail(StoreFailure.answer(to: error))
                }
            }
        }
    }
}

/// Writes the store's clock mark with a commit every 15 seconds (`ClockMark`), for all threads.
///
/// It has no id of a boot: several machines may write it.
final class ServerClockMark: Sendable {
    private let time: any Time
    private let clock: ClockHold
    private let written = Mutex<Timestamp?>(nil)

    init(time: any Time, clock: ClockHold) {
        self.time = time
        self.clock = clock
    }

    /// Adds the mark to a transaction if it is due, and commits.
    func write(_ connection: any SQLConnection, _ commit: () throws -> Void) throws {
        let now = time.now()
        // One thread writes it, so that no two wait for its row.
        let before: Timestamp?? = written.withLock { written in
            if let written, now - written < ClockMark.interval { return .none }
            defer { written = now }
            return .some(written)
        }
        guard let before else { return try commit() }
        do {
            try connection.put(
                """
                INSERT INTO clock_mark (id, at_ms, in_doubt) VALUES (1, ?1, ?2)
                ON CONFLICT (id) DO UPDATE SET
                    at_ms = excluded.at_ms, boot_at_ms = NULL, boot = NULL, uptime_ms = NULL,
                    in_doubt = excluded.in_doubt
                WHERE excluded.at_ms >= clock_mark.at_ms
                """, [SQLValue(now), .integer(clock.isInDoubt ? 1 : 0)])
            try commit()
        } catch {
            written.withLock { $0 = before }
            throw error
        }
    }
}
