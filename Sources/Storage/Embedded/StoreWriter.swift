import Glibc
import Logging
import Metrics
import ServiceRuntime
import Synchronization

/// The writer's thread: takes what has arrived and commits it, until the queue is closed and empty;
/// then records that the store is closed, and truncates the log.
struct StoreWriter {
    /// The database file.
    let location: String
    let queue: WorkQueue<WriterJob>
    let limits: Store.Limits
    let metrics: StoreMetrics
    let watchdog: WriterWatchdog
    let logger: Logger
    var commits: GroupCommit

    /// Runs until the store closes.
    mutating func work() {
        var expected = 1
        while true {
            let gather = min(expected, limits.groupFlowsMax)
            let tasks = queue.take(
                upTo: limits.groupFlowsMax, bulkBytesMax: limits.bulkBytesMax, gather: gather,
                timeout: limits.gatheringMax)
            if tasks.isEmpty { break }
            watchdog.begin()
            defer { watchdog.end() }
            let flows = tasks.compactMap { Self.wanted($0) }
            // Decays slowly: after a group of one between two bursts, several flows are still
            // expected.
            expected = max(1, flows.count, expected * 3 / 4)
            commit(flows)
            for case .truncateLog(let continuation) in tasks { truncateLog(continuation) }
            for case .hold(let time, let work) in tasks { hold(for: time, work) }
        }
        finish()
    }

    /// The flow of a task, unless its caller has gone.
    private static func wanted(_ task: WriterJob) -> Flow? {
        guard case .flow(let flow) = task else { return nil }
        guard flow.work.isGone else { return flow }
        flow.work.fail(CallerGone())
        return nil
    }

    private mutating func commit(_ flows: [Flow]) {
        if flows.isEmpty { return }
        metrics.measure(flows: flows.count, waiting: queue.count) { commits.commit(flows) }
    }

    private mutating func truncateLog(_ continuation: CheckedContinuation<Void, any Error>) {
        do {
            try commits.openConnection().truncateLog()
            continuation.resume()
        } catch {
            continuation.resume(throwing: StoreFailure.answer(to: error))
        }
    }

    /// Answers when commits are held and the work is done, and then sleeps. A call that fails
    /// holds nothing.
    private func hold(for time: Duration, _ work: Queued<Void>) {
        guard work.perform(()) else { return }
        let (seconds, attoseconds) = time.components
        var rest = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
        var left = timespec()
        while nanosleep(&rest, &left) != 0 && errno == EINTR { rest = left }
    }

    private mutating func finish() {
        do {
            let connection = try commits.openConnection()
            try StoreFile.close(connection, location)
            try connection.truncateLog()
        } catch {
            // No data is lost: the log is read at the next start. A copy of the files is refused.
            logger.warning(
                "store.checkpoint.failed", "the final WAL checkpoint failed",
                fields: [.detail: .error(error)])
        }
        commits.connection = nil
    }
}

/// Detects a hanging writer. A disk that hangs blocks the writer's thread in a system call for
/// ever, and only a restart, perhaps on another disk, helps. A disk that rejects writes does not
/// block it.
final class WriterWatchdog: Sendable {
    /// A round that takes longer counts as hanging. A group's commit takes milliseconds, and
    /// waiting for a lock that another process holds takes at most 5 s
    /// (`SQLiteEngine.busyMilliseconds`).
    static let timeout: Duration = .seconds(30)

    private let time: any Time
    /// The uptime at which the current round began; nil between rounds.
    private let begun = Mutex<Duration?>(nil)

    init(time: any Time) {
        self.time = time
    }

    func begin() {
        let now = time.uptime()
        begun.withLock { $0 = now }
    }

    func end() { begun.withLock { $0 = nil } }

    var isAlive: Bool {
        guard let begun = begun.withLock({ $0 }) else { return true }
        return time.uptime() - begun < Self.timeout
    }
}

/// A store's metrics: commit time, flows in a commit, waiting flows, refusals, work that was
/// dropped, the time of the last backup, and the age of the oldest message in the outbox.
struct StoreMetrics: Sendable {
    private let commit: Metrics.Timer
    private let groupFlows: Recorder
    private let waitingWrites: Gauge
    private let refused: Counter
    private let ownerRefused: Counter
    private let dropped: Counter
    private let lastBackup: Gauge
    private let oldestMessage: Gauge
    private let time: any Time

    /// The metrics of the store `name`.
    init(
        name: String, time: any Time, factory: any MetricsFactory = MetricsSystem.factory
    ) {
        let dimensions = [("store", name)]
        func counter(_ label: String) -> Counter {
            Counter(label: label, dimensions: dimensions, factory: factory)
        }
        commit = Timer(label: "store_commit", dimensions: dimensions, factory: factory)
        groupFlows = Recorder(label: "store_group_flows", dimensions: dimensions, factory: factory)
        waitingWrites = Gauge(
            label: "store_waiting_writes", dimensions: dimensions, factory: factory)
        refused = counter("store_refused")
        ownerRefused = counter("store_account_refused")
        dropped = counter("store_dropped")
        lastBackup = Gauge(
            label: "store_last_backup_timestamp_seconds", dimensions: dimensions,
            factory: factory)
        oldestMessage = Gauge(
            label: "store_outbox_oldest_seconds", dimensions: dimensions, factory: factory)
        self.time = time
    }

    /// Records one group: its size, its time, and how many flows were waiting when it began.
    func measure(flows: Int, waiting: Int, _ body: () -> Void) {
        measureCommit(waiting: waiting, body)
        groupFlows.record(flows)
    }

    /// Records one commit: its time, and how many flows were waiting when it began.
    func measureCommit(waiting: Int, _ body: () throws -> Void) rethrows {
        let start = time.uptime()
        defer {
            commit.record(duration: time.uptime() - start)
            waitingWrites.record(waiting)
        }
        try body()
    }

    /// Counts a refused caller. One account that has too many waiting says nothing about the disk.
    func count(_ refusal: QueueRefusal) {
        if refusal == .ownerFull { ownerRefused.increment() } else { refused.increment() }
    }

    /// Counts work that was not begun, because its caller had gone.
    func countDropped() { dropped.increment() }

    /// Records when the last backup was completed; nil is shown as 0.
    func setLastBackup(_ at: Timestamp?) { lastBackup.record((at?.milliseconds ?? 0) / 1_000) }

    /// Records the age of the oldest message of the outbox that is not delivered.
    func setOldestMessage(age: Duration) { oldestMessage.record(age / .seconds(1)) }
}
