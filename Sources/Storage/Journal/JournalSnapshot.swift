import Glibc
import Logging
import ServiceRuntime
import Synchronization

/// A snapshot in progress: copies the source part by part on its own thread while the log
/// continues.
final class JournalSnapshot: Sendable {
    /// Bytes after which the file is synced, so that neither the final sync nor a stop takes long.
    private static let unsyncedMax = 64 << 20

    private let written = Atomic<Int>(0)
    private let isStopped = Atomic<Bool>(false)
    private let isOver = Atomic<Bool>(false)
    private let thread = Mutex<OSThread?>(nil)

    /// Starts the thread.
    init(
        of source: any JournalSource, generation: UInt64, folder: JournalFolder,
        files: any JournalFiles, logger: Logger
    ) throws {
        let worker = try OSThread {
            do {
                if try self.write(source, generation, folder, files) {
                    try folder.removeBefore(generation)
                } else {
                    unlink(folder.draft)
                }
            } catch {
                // The logs since the last snapshot are still there, so no data is lost.
                logger.error(
                    "journal.snapshot.failed", "writing a snapshot failed",
                    fields: [.detail: .error(error)])
                unlink(folder.draft)
            }
            self.isOver.store(true, ordering: .releasing)
        }
        thread.withLock { $0 = worker }
    }

    /// Whether it was written or has failed.
    var isDone: Bool { isOver.load(ordering: .acquiring) }

    /// The bytes written so far.
    var size: Int { written.load(ordering: .relaxed) }

    /// Aborts after the part being written, and blocks until then. A whole snapshot may take longer
    /// than the time a program has to shut down. The logs remain, so no data is lost.
    func stop() {
        isStopped.store(true, ordering: .relaxed)
        thread.withLock { $0 }?.join()
    }

    /// - Returns: false when it was stopped before the end.
    private func write(
        _ source: any JournalSource, _ generation: UInt64, _ folder: JournalFolder,
        _ files: any JournalFiles
    ) throws -> Bool {
        let file = try files.create(folder.draft)
        var bytes = JournalBytes()
        var frames: UInt64 = 0
        for part in 0...source.journalParts {
            guard !isStopped.load(ordering: .relaxed) else { return false }
            bytes.cut(to: 0)
            let start = JournalFrame.begin(&bytes)
            if part < source.journalParts {
                source.copyPart(part, into: &bytes)
                // A frame without payload marks the end, so an empty part is left out.
                if bytes.count == start + JournalFrame.headerBytes { continue }
            }
            JournalFrame.end(&bytes, from: start, generation: generation, number: frames)
            try append(bytes.written, to: file)
            frames += 1
        }
        try file.sync()
        try files.rename(folder.draft, to: folder.snapshot(generation))
        return true
    }

    private func append(_ frame: UnsafeRawBufferPointer, to file: any JournalFile) throws {
        let before = size
        try file.write(frame, at: before)
        written.add(frame.count, ordering: .relaxed)
        if before / Self.unsyncedMax < size / Self.unsyncedMax { try file.sync() }
    }
}
