import FoundationEssentials
import ServiceRuntime
import Storage
import Synchronization
import TestSupport
import Testing

@Suite("R-06: a journal can be closed during a snapshot", .timeLimit(.minutes(1)))
struct StoppedSnapshotTests {
    @Test("R-06: closing waits for one part of the snapshot, not for all, and loses nothing")
    func stopped() async throws {
        let folder = try TemporaryFolder()
        let log = CapturedLog()
        let source = EndlessSource()
        let journal = try Journal(
            folder: folder.path, name: "endless", source: source, logBytes: 1,
            logger: log.logger(time: ManualTime()))
        // The log is now long enough for a snapshot to begin.
        try await journal.flush()
        while source.copied.load(ordering: .relaxed) == 0 {
            try await Task.sleep(for: .milliseconds(1))
        }
        journal.close()
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        #expect(files == ["endless.journal-lock", "endless.log.0", "endless.log.1"])
        #expect(log.lines.isEmpty)
        let next = EndlessSource()
        try Journal(
            folder: folder.path, name: "endless", source: next,
            logger: log.logger(time: ManualTime())
        ).close()
        #expect(next.restored.load(ordering: .relaxed) == 8)
    }
}

/// One change, and so many parts that a snapshot never completes.
private final class EndlessSource: JournalSource {
    let copied = Atomic<Int>(0)
    let restored = Atomic<Int>(0)
    private let isTaken = Atomic<Bool>(false)

    var journalParts: Int { .max - 1 }

    func takeChanges(into bytes: inout JournalBytes) -> Bool {
        guard !isTaken.exchange(true, ordering: .relaxed) else { return false }
        bytes.append(8).initializeMemory(as: UInt8.self, repeating: 7)
        return false
    }

    func copyPart(_ part: Int, into bytes: inout JournalBytes) {
        copied.add(1, ordering: .relaxed)
    }

    func restorePart(_ bytes: UnsafeRawBufferPointer) throws {}

    func restoreChanges(_ bytes: UnsafeRawBufferPointer, thread: Int, of threads: Int) throws {
        restored.add(bytes.count, ordering: .relaxed)
    }
}
