import ServiceRuntime
import Synchronization

/// What runs a store's flows and queries on an embedded engine: one writer's thread, which commits
/// in groups (`GroupCommit`), a few readers' threads, and the lock that keeps other processes away.
///
/// All flows go through the one writer, so none overlaps another, and no subject needs a lock.
final class EmbeddedStore: StoreBackend {
    private let flows: WorkQueue<WriterJob>
    private let queries: WorkQueue<Queued<any SQLSession>>
    private let threads = Mutex<[OSThread]>([])
    private let lock: Mutex<StoreLock?>

    /// Starts the threads.
    /// - Parameters:
    ///   - openReader: opens a reader's connection.
    ///   - write: runs the writer, until its queue is closed and empty.
    /// - Throws: `OSThread.NotStarted`.
    init(
        _ lock: StoreLock, _ limits: Store.Limits,
        openReader: @escaping @Sendable () throws -> any SQLConnection,
        write: @escaping @Sendable (WorkQueue<WriterJob>) -> Void
    ) throws {
        flows = WorkQueue(
            elementsMax: limits.waitingWritesMax, bulkElementsMax: limits.waitingBulkWritesMax,
            bulkElementsOfOneMax: limits.waitingBulkWritesOfOneMax, isGone: { $0.isGone })
        queries = WorkQueue(elementsMax: limits.waitingReadsMax, isGone: { $0.isGone })
        self.lock = Mutex(lock)
        let (flows, queries) = (flows, queries)
        try start(lock) { write(flows) }
        for _ in 0..<max(1, limits.readers) {
            try start(lock) {
                var reader = StoreReader(open: openReader)
                reader.work(queries)
            }
        }
    }

    deinit {
        // The threads end once their queues are closed; the last one releases the lock.
        flows.close()
        queries.close()
    }

    /// How many flows wait for the writer.
    var waitingWrites: Int { flows.count }

    /// Queues a flow, or another task of the writer.
    func write(_ job: WriterJob) throws(QueueRefusal) {
        let displaced = try flows.offer(job, bulkBytes: job.bulkBytes, of: job.owner)
        if case .flow(let flow) = displaced { flow.work.fail(QueueRefusal.ownerFull) }
    }

    /// Queues a query.
    func read(
        _ query: Queued<any SQLSession>
    ) throws(QueueRefusal) {
        try queries.offer(query)
    }

    /// Finishes the queued work and releases the lock. Blocks its thread until that is done; a
    /// second call does nothing.
    func close() {
        flows.close()
        queries.close()
        // Readers first: the writer cannot truncate a log that is being read.
        for thread in threads.withLock({ $0 }).reversed() { thread.join() }
        lock.withLock { $0 = nil }
    }

    private func start(_ lock: StoreLock, _ body: @escaping @Sendable () -> Void) throws {
        let thread = try OSThread {
            body()
            withExtendedLifetime(lock) {}
        }
        threads.withLock { $0.append(thread) }
    }
}
