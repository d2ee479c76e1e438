import FoundationEssentials
import Storage
import Synchronization
import TestSupport
import Testing

@testable import RateLimitService

@Suite("O-01: a journal is copied while it writes", .timeLimit(.minutes(1)))
struct JournalCopyTests {
    /// Shared by the task that charges and the one that copies.
    private final class Progress: Sendable {
        let flushed = Atomic<Int>(0)
        let copies = Atomic<Int>(0)
    }

    @Test("copies made while logs and snapshots are replaced have every change flushed before")
    func copies() async throws {
        let folder = try TemporaryFolder()
        let fixture = try JournaledTable(folder, logBytes: 4_096)
        let progress = Progress()
        let wanted = 20
        try await withThrowingTaskGroup { group in
            group.addTask {
                var subject: UInt64 = 0
                while progress.copies.load(ordering: .relaxed) < wanted {
                    fixture.charge(subject)
                    try await fixture.table.persisted()
                    subject += 1
                    progress.flushed.store(Int(subject), ordering: .sequentiallyConsistent)
                }
            }
            var generations: Set<String> = []
            for number in 1...wanted {
                // Each copy is of a later state.
                while progress.flushed.load(ordering: .relaxed) < number * 20 {
                    await Task.yield()
                }
                let before = progress.flushed.load(ordering: .sequentiallyConsistent)
                let copy = try TemporaryFolder()
                for file in try Journal.openFiles(of: "limits", in: folder.path) {
                    try Data(try file.read(file.bytes, at: 0))
                        .write(to: URL(filePath: copy.file(file.name)))
                    generations.insert(file.name)
                }
                let restored = try JournaledTable(copy)
                #expect(restored.contents.count >= before, "copy \(number)")
                restored.table.close()
                progress.copies.add(1, ordering: .relaxed)
            }
            #expect(generations.contains { $0.hasPrefix("limits.snapshot.") })
            #expect(generations.count > 2, "\(generations)")
            try await group.waitForAll()
        }
        fixture.table.close()
    }

    @Test("a journal without changes is copied as it is, and one that is not there has no files")
    func empty() async throws {
        let folder = try TemporaryFolder()
        let fixture = try JournaledTable(folder)
        let files = try Journal.openFiles(of: "limits", in: folder.path)
        #expect(files.map(\.name) == ["limits.log.0"])
        #expect(files.map(\.bytes) == [0])
        #expect(try Journal.openFiles(of: "others", in: folder.path).isEmpty)
        fixture.table.close()
    }
}
