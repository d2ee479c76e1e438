package import Logging
package import ServiceRuntime
import Synchronization

/// Makes the state that a source holds in memory durable: a log of changes, written in batches, and
/// an occasional snapshot, after which a new log begins.
///
///     log.7 ── grows ──▶ at its limit: log.8 begins ──▶ the source is copied part by part
///                                                          │ durable, under its name
///                                                          ▼
///                                       snapshot.8 ──▶ log.7 and snapshot.6 are removed
///
/// The rules:
/// 1. One thread writes. It takes all changes from the source, writes them as one frame, waits for
///    the disk, and completes every `flush` that was called before. So many callers share one sync.
/// 2. A frame whose write failed is kept and written again at the same offset. Newer frames wait
///    for it, and `flush` fails until then. The state in memory stays correct; once the disk has
///    space, the log continues without a restart.
/// 3. At start the newest snapshot and the logs from its generation on are read. A torn end of the
///    newest log, which was never acknowledged, is cut off. Damage anywhere else is an error, and
///    so is a log that does not begin as one.
/// 4. One process at a time: a lock file beside the files.
package final class Journal: Sendable {
    /// The default size of a log before a snapshot is worth writing.
    package static let logBytesDefault = 64 << 20
    /// Callers that wait for one flush.
    static let waitingMax = 100_000

    /// A caller that waits for the disk.
    typealias Waiter = CheckedContinuation<Void, any Error>

    private let waiting: WorkQueue<Waiter>
    private let thread: Mutex<OSThread?>
    private let lock: Mutex<StoreLock?>

    /// Restores the source from disk, then writes the source's changes.
    /// - Parameter logBytes: the log's size at which it is replaced by a snapshot, unless the last
    ///   snapshot was larger.
    /// - Parameter writes: receives whether writes reach the disk.
    /// - Throws: `JournalError` and `StoreError`, whose descriptions tell the operator what to do;
    ///   `SQLError` when the folder or a file cannot be opened; what the source's `restorePart` and
    ///   `restoreChanges` throw.
    package init(
        folder: String, name: String, source: any JournalSource,
        files: any JournalFiles = DiskFiles(), logBytes: Int = Journal.logBytesDefault,
        writes: PartCondition? = nil, logger: Logger
    ) throws {
        try PrivateFile.makeFolder(folder)
        let lock = try StoreLock("\(folder)/\(name).journal-lock")
        let place = JournalFolder(folder: folder, name: name)
        let start = try JournalRecovery(folder: place, files: files, source: source).run()
        let waiting = WorkQueue<Waiter>(elementsMax: Self.waitingMax)
        self.waiting = waiting
        self.lock = Mutex(lock)
        thread = Mutex(
            try OSThread {
                var writer = JournalWriter(
                    source: source, folder: place, files: files, log: start, logBytes: logBytes,
                    writes: writes, logger: logger)
                writer.work(waiting)
                withExtendedLifetime(lock) {}
            })
    }

    deinit { waiting.close() }

    /// Returns once every change made before this call is on disk.
    /// - Throws: `rpc/unavailable` while writes fail or after `close`, `rpc/resource-exhausted`
    ///   when too many callers wait; `SQLError` for other failures.
    package func flush() async throws {
        try await withCheckedThrowingContinuation { continuation in
            do throws(QueueRefusal) {
                try waiting.offer(continuation)
            } catch {
                continuation.resume(
                    throwing: StoreFailure.answer(to: error, retryAfter: StoreFailure.retryAfter))
            }
        }
    }

    /// Writes outstanding changes and releases the files. Blocks its thread until that is done.
    package func close() {
        waiting.close()
        thread.withLock { $0 }?.join()
        lock.withLock { $0 = nil }
    }
}

/// State in memory that a journal makes durable: it can return what has changed since the last
/// call, and copy itself part by part.
///
/// The source defines both byte formats. It must accept restored bytes in any of its states, since
/// a snapshot is copied while changes continue: a change may be in both.
package protocol JournalSource: AnyObject, Sendable {
    /// How many parts a copy has; each is copied separately.
    var journalParts: Int { get }

    /// Appends the current state of what changed since the last call, a few MiB at a time: it is
    /// one frame of the log, and stays in memory until it is written.
    /// - Returns: whether there is more.
    func takeChanges(into bytes: inout JournalBytes) -> Bool

    /// Appends a copy of a part.
    func copyPart(_ part: Int, into bytes: inout JournalBytes)

    /// Restores a part, before any change. Several threads may call it at once, each with a
    /// different part.
    /// - Throws: `JournalError.unknownContent` for bytes in an unknown format.
    func restorePart(_ bytes: UnsafeRawBufferPointer) throws

    /// Restores changes in the order in which they were made. With several threads, each receives
    /// all changes and applies only those of its own share of the source. The source chooses the
    /// shares; they do not overlap.
    /// - Throws: `JournalError.unknownContent` for bytes in an unknown format.
    func restoreChanges(_ bytes: UnsafeRawBufferPointer, thread: Int, of threads: Int) throws
}

/// Why a journal could not be read. Its description tells the operator what to do.
package enum JournalError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The bytes at `offset` are not what was written, and more was written after them.
    case damaged(file: String, offset: Int)
    /// A file between the snapshot and the newest log is missing.
    case missing(file: String)
    /// The bytes are intact but in a format that this version does not write.
    case unknownContent

    package var description: String {
        switch self {
        case .damaged(let file, let offset):
            """
            \(file) is damaged at byte \(offset): check the disk and restore a backup, or move the \
            file away to start without its contents
            """
        case .missing(let file):
            """
            \(file) is missing though a newer log exists: restore it, or move the newer ones away \
            to start without their contents
            """
        case .unknownContent:
            "the journal was written by another version: start that version"
        }
    }
}
