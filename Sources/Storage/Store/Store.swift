package import Logging
package import ServiceRuntime
import Synchronization

/// One service's durable state: one writer that commits in groups (`GroupCommit`) and a few
/// concurrent readers. Opening it migrates the schema and locks the store for this process.
///
/// What `write` has acknowledged survives `kill -9` and power failures. When the disk is full or
/// read-only, writes fail with `rpc/unavailable` and reads continue; writes work again once the
/// disk does.
package final class Store: Sendable {
    /// The database file: `<folder>/<name>.sqlite`.
    package let location: String
    /// Wakes the relay after each commit that added a message to the outbox.
    let outboxSignal = WakeSignal()
    /// How the machine's clock compared with the store's mark when it was opened, and whether the
    /// clock is not trusted yet.
    package let clock: ClockHold
    /// Whether it is a restored backup that its service has not handled yet (`RestoredCopy`).
    package let isRestoredCopy: Bool
    /// Whether writes reach the disk, for health.
    package let writes: PartCondition
    let logger: Logger
    private let engine: any SQLEngine
    private let limits: StoreLimits
    private let metrics: StoreMetrics
    private let flows: WorkQueue<WriterTask>
    private let reads: WorkQueue<QueuedQuery>
    private let turns: WriterWatchdog
    private let threads: Mutex<[OSThread]>
    private let lock: Mutex<StoreLock?>

    /// Opens the store `name` in `folder`, creates it if needed, and migrates its schema.
    /// - Parameter acceptsClock: the operator confirms that the machine's clock is right.
    /// - Throws: `StoreError`, whose description tells the operator what to do, or `SQLError`.
    package init(
        folder: String, name: String, migrations: [Migration],
        engine: any SQLEngine = SQLiteEngine(), limits: StoreLimits = StoreLimits(),
        acceptsClock: Bool = false, time: any Time, logger: Logger
    ) throws {
        try PrivateFile.makeFolder(folder)
        let lock = try StoreLock("\(folder)/\(name).lock")
        let location = "\(folder)/\(name).sqlite"
        self.location = location
        self.engine = engine
        self.limits = limits
        self.logger = logger
        metrics = StoreMetrics(name: name, time: time)
        flows = WorkQueue(elementsMax: limits.waitingWritesMax)
        writes = PartCondition(time: time)
        turns = WriterWatchdog(time: time)
        reads = WorkQueue(elementsMax: limits.waitingReadsMax)
        threads = Mutex([])
        self.lock = Mutex(lock)

        let opened = try Self.opening(location) {
            let connection = try engine.openWriter(location)
            let migrator = Migrator(connection: connection, time: time, logger: logger)
            try migrator.run(StorageTables.migrations, .storage)
            return (connection, migrator, mark: try ClockMark.read(connection))
        }
        // Before anything is written with a timestamp.
        clock = ClockHold(
            mark: opened.mark, isAccepted: acceptsClock, time: time, logger: logger)
        isRestoredCopy = try Self.opening(location) {
            try opened.1.run(migrations, .service)
            return try RestoredCopy.isMarked(opened.0)
        }
        try startWriter(time, lock)
        for _ in 0..<max(1, limits.readers) { try startReader(lock) }
    }

    deinit {
        // The threads end once their queues are closed; the last one releases the lock.
        flows.close()
        reads.close()
    }

    /// Registers the store's parts with health, and its writer with `/livez`.
    package func report(to parts: ProgramParts) {
        let (writes, clock, turns) = (writes, clock, turns)
        parts.add("store") { writes.trouble }
        parts.add("clock") { clock.trouble }
        parts.addLiveness { turns.isTurning }
    }

    /// Runs `flow` on the writer's thread, in a transaction, and returns its value once that is on
    /// disk.
    /// - Throws: what `flow` throws, which undoes all that it wrote and nothing else;
    ///   `ServiceError` `rpc/unavailable` when the disk fails or the store is closed, and
    ///   `rpc/resource-exhausted` when too many callers wait; `SQLError` for other failures.
    package func write<Value: Sendable>(
        _ flow: @escaping @Sendable (Transaction) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            do throws(WorkQueue<WriterTask>.Refusal) {
                try flows.offer(.flow(QueuedFlow(continuation, flow)))
            } catch {
                metrics.countRefusal()
                continuation.resume(throwing: refused(error))
            }
        }
    }

    /// Runs `query` on a reader's thread, on one snapshot of the committed data.
    /// - Throws: as `write`.
    package func read<Value: Sendable>(
        _ query: @escaping @Sendable (any SQLSession) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            do throws(WorkQueue<QueuedQuery>.Refusal) {
                try reads.offer(QueuedQuery(continuation, query))
            } catch {
                metrics.countRefusal()
                continuation.resume(throwing: refused(error))
            }
        }
    }

    /// Copies one snapshot of the store to the new file `path`, durable on return. Writes and reads
    /// continue meanwhile.
    /// - Throws: `StoreError.backupExists`, `SQLError`.
    package func backup(to path: String) async throws {
        let (engine, location) = (engine, location)
        try await withCheckedThrowingContinuation { continuation in
            do {
                _ = try OSThread {
                    continuation.resume(with: Result { try engine.backUp(location, to: path) })
                }
            } catch {
                continuation.resume(throwing: error)
            }
        }
    }

    /// Truncates the write-ahead log, so that no deleted data remains in it (Sources/SECURITY.md,
    /// Erasure).
    /// - Throws: `rpc/unavailable` when a reader or a backup holds it for longer than 5 s or the
    ///   store is closed; `rpc/resource-exhausted` when too many callers wait.
    package func truncateLog() async throws {
        try await withCheckedThrowingContinuation { continuation in
            do throws(WorkQueue<WriterTask>.Refusal) {
                try flows.offer(.truncateLog(continuation))
            } catch {
                continuation.resume(throwing: refused(error))
            }
        }
    }

    /// How many flows wait for the writer.
    package var waitingWrites: Int { flows.count }

    /// Finishes what is queued, rejects new calls, and releases the store. Blocks its thread until
    /// that is done; a second call does nothing.
    package func close() {
        flows.close()
        reads.close()
        // Readers first: the writer cannot truncate a log that is being read.
        for thread in threads.withLock({ $0 }).reversed() { thread.join() }
        lock.withLock { $0 = nil }
    }

    /// Adds the file's name to errors while the store is opened.
    private static func opening<Value>(
        _ location: String, _ body: () throws -> Value
    ) throws -> Value {
        do {
            return try body()
        } catch let error as SQLError where error.kind == .corrupt {
            throw StoreError.notAStore(location, detail: error.detail)
        } catch let error as SQLError {
            throw StoreError.cannotOpen(location, detail: error.detail)
        }
    }

    private func refused<Element>(_ refusal: WorkQueue<Element>.Refusal) -> ServiceError {
        StoreTrouble.answer(to: refusal, retryAfter: limits.retryAfter)
    }

    private func startWriter(_ time: any Time, _ lock: StoreLock) throws {
        let (engine, location, wakeSignal) = (engine, location, outboxSignal)
        let (queue, limits, metrics, logger) = (flows, limits, metrics, logger)
        let (clock, writes, turns) = (clock, writes, turns)
        let thread = try OSThread {
            let commits = GroupCommit(
                open: { try engine.openWriter(location) }, time: time, clock: clock, logger: logger,
                writes: writes, announce: { wakeSignal.wake() })
            var writer = StoreWriter(
                queue: queue, limits: limits, metrics: metrics, turns: turns, logger: logger,
                commits: commits)
            writer.work()
            withExtendedLifetime(lock) {}
        }
        threads.withLock { $0.append(thread) }
    }

    private func startReader(_ lock: StoreLock) throws {
        let (engine, location, queue) = (engine, location, reads)
        let thread = try OSThread {
            var reader = StoreReader(open: { try engine.openReader(location) })
            reader.work(queue)
            withExtendedLifetime(lock) {}
        }
        threads.withLock { $0.append(thread) }
    }
}
