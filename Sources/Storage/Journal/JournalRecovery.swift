import Glibc
import ServiceRuntime
import Synchronization

/// Restores the source from disk and finds the log to continue.
struct JournalRecovery {
    let folder: JournalFolder
    let files: any JournalFiles
    let source: any JournalSource

    /// - Returns: the log to append to.
    func run() throws -> JournalWriter.Log {
        let snapshot = try folder.snapshots().last
        if let snapshot { try restore(snapshot) }
        let first = snapshot ?? 0
        var logs = try folder.logs().filter { $0 >= first }
        // A log that was created but never written to does not show that the previous one is
        // complete.
        while logs.count > 1, let last = logs.last, try folder.isEmpty(folder.log(last)) {
            logs.removeLast()
        }
        guard let newest = logs.last else {
            // Before its first snapshot a journal has a log, even an empty one, or is new.
            guard snapshot == nil else { throw JournalError.missing(file: folder.log(first)) }
            return JournalWriter.Log(generation: first, file: try files.create(folder.log(first)))
        }
        for generation in first..<newest {
            guard logs.contains(generation) else {
                throw JournalError.missing(file: folder.log(generation))
            }
            _ = try replay(generation, isNewest: false)
        }
        return try replay(newest, isNewest: true)
    }

    /// Reads a snapshot: a frame for each part, and a last one without payload. With `n` threads,
    /// each checks and restores every `n`-th part.
    private func restore(_ generation: UInt64) throws {
        let path = folder.snapshot(generation)
        let threads = ReadThreads(bytes: try folder.size(path))
        let source = source
        try threads.run { thread in
            var reader = try JournalReader(path, generation: generation)
            var isWhole = true
            while isWhole, try !reader.isAtMark() {
                let isOurs = Int(reader.frames % UInt64(threads.count)) == thread
                isWhole = isOurs ? try reader.next(source.restorePart) : try reader.skip()
            }
            guard isWhole, try reader.next({ _ in }) else {
                throw JournalError.damaged(file: path, offset: reader.offset)
            }
        }
    }

    private func replay(_ generation: UInt64, isNewest: Bool) throws -> JournalWriter.Log {
        let path = folder.log(generation)
        let threads = ReadThreads(bytes: try folder.size(path))
        let source = source
        let whole = try threads.run { thread in
            var reader = try JournalReader(path, generation: generation)
            while try reader.next({
                try source.restoreChanges($0, thread: thread, of: threads.count)
            }) {}
            let isTorn = !reader.isAtEnd
            // Only the first thread checks what follows a torn end.
            if isTorn, thread == 0,
                try !isNewest || !reader.beginsAsLog() || reader.findsLaterFrame()
            {
                throw JournalError.damaged(file: path, offset: reader.offset)
            }
            return WholeLog(length: reader.offset, frames: reader.frames, isTorn: isTorn)
        }
        let file = try files.open(path)
        if whole.isTorn {
            try file.cut(to: whole.length)
            try file.sync()
        }
        return JournalWriter.Log(
            generation: generation, file: file, length: whole.length, frames: whole.frames)
    }
}

extension JournalRecovery {
    /// The intact part of a log.
    private struct WholeLog {
        let length: Int
        let frames: UInt64
        let isTorn: Bool
    }

    /// Threads that read a journal's files in parallel, each a share of the content. A start with
    /// ten million states is bound by the processor, not by the disk.
    struct ReadThreads {
        /// More threads would wait for memory, and a start is short.
        private static let threadsMax = 8
        /// Content smaller than this is read before a second thread has started.
        private static let threadBytesMin = 512 << 10

        /// Number of threads, including the caller's.
        let count: Int

        /// One for each processor, but no more than the content's size justifies.
        init(bytes: Int) {
            let processors = sysconf(Int32(_SC_NPROCESSORS_ONLN))
            count = min(max(1, processors), Self.threadsMax, bytes / Self.threadBytesMin + 1)
        }

        /// Runs `body` once on each thread, with the thread's number, and returns when all have
        /// finished.
        /// - Returns: the result of the first.
        /// - Throws: the error of the lowest-numbered thread that failed.
        func run<Result: Sendable>(_ body: @escaping @Sendable (Int) throws -> Result) throws
            -> Result
        {
            let failures = Mutex<[Int: any Error]>([:])
            let attempt: @Sendable (Int) -> Result? = { number in
                do {
                    return try body(number)
                } catch {
                    failures.withLock { $0[number] = error }
                    return nil
                }
            }
            let others = try (1..<count).map { number in try OSThread { _ = attempt(number) } }
            let result = attempt(0)
            for other in others { other.join() }
            let first = failures.withLock { failed in
                failed.min { $0.key < $1.key }?.value
            }
            if let first { throw first }
            guard let result else { preconditionFailure("a thread that fails says why") }
            return result
        }
    }
}
