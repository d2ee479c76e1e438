package import Logging
package import ServiceRuntime
import Synchronization

/// What a source keeps in memory, on disk: a log of what changed, written in batches, and a
/// snapshot now and then, from which on the log begins anew.
///
///     log.7 ── grows ──▶ at its limit: log.8 begins ──▶ the source is copied part by part
///                                                          │ durable, under its name
///                                                          ▼
///                                       snapshot.8 ──▶ log.7 and snapshot.6 are removed
///
/// The rules:
/// 1. One thread writes. It asks the source for all that has changed, writes that as one frame,
///    waits for the disk, and answers everybody who asked before it did. So many share one flush.
/// 2. A frame that could not be written stays at hand, and is written again at the same place
///    before anything newer; those who wait are refused meanwhile. Memory stays right, and once
///    there is room the log goes on without a restart.
/// 3. A start reads the newest snapshot and the logs from its generation on. A torn end of the
///    newest log, which nobody was told of, is cut off. Damage anywhere else is refused, and so is
///    a log that does not begin as one.
/// 4. One process at a time: a lock beside the files.
package final class Journal: Sendable {
    /// The log's size at which a snapshot is worth its writing, at the least.
    package static let logBytesDefault = 64 << 20
    /// Callers who wait for one flush at once.
    static let waitingMax = 100_000

    private let waiting: WorkQueue<JournalWaiter>
    private let thread: Mutex<WorkerThread?>
    private let lock: Mutex<StoreLock?>

    /// Gives the source what is on disk, and from then on writes what changes in it.
    /// - Parameter logBytes: the log's size at which it is replaced by a snapshot, unless that one
    ///   is larger.
    /// - Parameter writes: gets whether writes reach the disk.
    /// - Throws: `JournalError` and `StoreError`, whose descriptions tell the operator what to do.
    package init(
        folder: String, name: String, source: any JournalSource,
        files: any JournalFiles = DiskFiles(), logBytes: Int = Journal.logBytesDefault,
        writes: PartCondition? = nil, logger: Logger
    ) throws {
        try PrivateFile.makeFolder(folder)
        let lock = try StoreLock("\(folder)/\(name).journal-lock")
        let place = JournalFolder(folder: folder, name: name)
        let start = try JournalRecovery(folder: place, files: files, source: source).run()
        let waiting = WorkQueue<JournalWaiter>(elementsMax: Self.waitingMax)
        self.waiting = waiting
        self.lock = Mutex(lock)
        thread = Mutex(
            try WorkerThread {
                var writer = JournalWriter(
                    source: source, folder: place, files: files, log: start, logBytes: logBytes,
                    writes: writes, logger: logger)
                writer.work(waiting)
                withExtendedLifetime(lock) {}
            })
    }

    deinit { waiting.close() }

    /// Returns once everything that had changed before this call is on disk.
    /// - Throws: `rpc/unavailable` while the disk does not take it, `rpc/resource-exhausted` when
    ///   too many wait.
    package func flush() async throws {
        try await withCheckedThrowingContinuation { continuation in
            do throws(WorkQueue<JournalWaiter>.Refusal) {
                try waiting.offer(JournalWaiter(continuation))
            } catch {
                continuation.resume(
                    throwing: StoreTrouble.answer(to: error, retryAfter: StoreTrouble.retryAfter))
            }
        }
    }

    /// Writes what has changed and gives the files back. Blocks its thread until that is done.
    package func close() {
        waiting.close()
        thread.withLock { $0 }?.join()
        lock.withLock { $0 = nil }
    }
}

/// One who waits for the disk.
struct JournalWaiter: Sendable {
    private let continuation: CheckedContinuation<Void, any Error>

    init(_ continuation: CheckedContinuation<Void, any Error>) {
        self.continuation = continuation
    }

    func answer(_ failure: (any Error)?) {
        if let failure {
            continuation.resume(throwing: StoreTrouble.answer(to: failure))
        } else {
            continuation.resume()
        }
    }
}
