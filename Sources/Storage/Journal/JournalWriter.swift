import Logging
import ServiceRuntime
import Synchronization

/// The thread that writes the log (`Journal`, rules 1 and 2).
struct JournalWriter: ~Copyable {
    private let source: any JournalSource
    private let folder: JournalFolder
    private let files: any JournalFiles
    private let logBytes: Int
    private let writes: PartCondition?
    private let logger: Logger
    private var log: Log
    /// A frame that is being written, or whose write failed.
    private var frame = JournalBytes()
    private var failures = 0
    private var snapshot: JournalSnapshot?
    /// The log's length at which the next snapshot starts.
    private var snapshotAt: Int

    init(
        source: any JournalSource, folder: JournalFolder, files: any JournalFiles,
        log: Log, logBytes: Int, writes: PartCondition?, logger: Logger
    ) {
        self.source = source
        self.folder = folder
        self.files = files
        self.log = log
        self.logBytes = logBytes
        self.writes = writes
        self.logger = logger
        snapshotAt = logBytes
    }

    /// Runs until the queue is closed and empty, then writes what is left.
    mutating func work(_ queue: WorkQueue<Journal.Waiter>) {
        while true {
            let waiters = queue.take(upTo: Journal.waitingMax)
            let failure = write()
            for waiter in waiters {
                waiter.resume(
                    with: failure.map { .failure(StoreFailure.answer(to: $0)) } ?? .success(()))
            }
            if waiters.isEmpty { break }
            if failure == nil { snapshotIfDue() }
        }
        snapshot?.stop()
    }

    /// Writes the frame that failed before, then what has changed since.
    private mutating func write() -> (any Error)? {
        do {
            if frame.count > 0 { try append() }
            while try writeSome() {}
            return nil
        } catch {
            recordFailure(error)
            return error
        }
    }

    /// - Returns: whether there is more.
    private mutating func writeSome() throws -> Bool {
        let start = JournalFrame.begin(&frame)
        let isMore = source.takeChanges(into: &frame)
        guard frame.count > JournalFrame.headerBytes else {
            frame.cut(to: 0)
            return isMore
        }
        JournalFrame.end(&frame, from: start, generation: log.generation, number: log.frames)
        try append()
        return isMore
    }

    private mutating func append() throws {
        try log.append(frame.written)
        frame.cut(to: 0)
        if failures > 0 {
            logger.warning(
                "journal.write.recovered", "journal writes work again",
                fields: [.count: .count(failures)])
        }
        failures = 0
        writes?.work(folder.name)
    }

    /// Logs the first failure, the second, the fourth and so on.
    private mutating func recordFailure(_ error: any Error) {
        failures += 1
        writes?.fail(folder.name, StoreFailure.ofDisk(error) ?? "a log cannot be written")
        guard failures.isLoggedFailure else { return }
        logger.error(
            "journal.write.failed", "writing the journal failed",
            fields: [.attempt: .count(failures), .detail: .error(error)])
    }

    /// Starts a new log and a snapshot when the log is long enough and no snapshot is in progress.
    private mutating func snapshotIfDue() {
        guard log.length >= snapshotAt, snapshot?.isDone ?? true else { return }
        // A new log is due at the size of the last snapshot, at least `logBytes`. A snapshot that
        // failed is not repeated before that.
        snapshotAt = max(logBytes, snapshot?.size ?? 0)
        do {
            let generation = log.generation + 1
            log = Log(
                generation: generation, file: try files.create(folder.log(generation)))
            snapshot = try JournalSnapshot(
                of: source, generation: generation, folder: folder, files: files, logger: logger)
        } catch {
            snapshotAt = log.length + logBytes
            logger.error(
                "journal.snapshot.start.failed", "starting a snapshot failed",
                fields: [.detail: .error(error)])
        }
    }

    /// The log being written: its file and the length of its intact content.
    struct Log {
        let generation: UInt64
        let file: any JournalFile
        /// Where the next frame is written.
        private(set) var length = 0
        /// The next frame's number.
        private(set) var frames: UInt64 = 0

        /// Writes a frame after the last intact one, overwriting what a failed attempt left there.
        mutating func append(_ frame: UnsafeRawBufferPointer) throws {
            try file.write(frame, at: length)
            try file.sync()
            length += frame.count
            frames += 1
        }
    }
}
