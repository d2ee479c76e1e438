import TestSupport
import Testing

@testable import Storage

@Suite(
    "A killed process", .enabled(if: TestStore.runs("CrashTests")), .serialized)
struct CrashTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func open() throws -> Store {
        try TestStore.open("crash", [], in: folder.path)
    }

    @Test("kill -9 under load loses no acknowledged write and leaves no partial one")
    func killedUnderLoad() async throws {
        var acknowledged: Set<Int64> = []
        for round in 1...6 {
            let writer = try CrashWriter("StorageCrashWriter", [folder.path])
            acknowledged.formUnion(writer.acknowledged(round * 37))
            writer.kill()
            // What it acknowledged before it died is still in the pipe.
            acknowledged.formUnion(writer.acknowledged())

            let store = try open()
            #expect(!store.isRestoredCopy, "a crash makes no copy of a store")
            let (numbers, check) = try await store.read { session in
                (
                    try session.query("SELECT number FROM entry") { try $0.integer(0) },
                    try session.query("PRAGMA integrity_check") { try $0.text(0) }
                )
            }
            let stored = Set(numbers)
            #expect(acknowledged.isSubset(of: stored))
            #expect(numbers.count == stored.count, "twice")
            #expect(stored.allSatisfy { stored.contains(-$0) })
            #expect(stored.allSatisfy { !$0.isMultiple(of: 7) })
            #expect(check == ["ok"])
            store.close()
        }
        #expect(acknowledged.count >= 6 * 37)
    }

    @Test("a second process on the folder of a live one fails, and the error names the live one")
    func secondProcessIsRefused() throws {
        let writer = try CrashWriter("StorageCrashWriter", [folder.path])
        #expect(!writer.acknowledged(1).isEmpty)
        #expect(
            throws: StoreError.inUse(lock: folder.file("crash.lock"), process: writer.process.id)
        ) { try open() }
        writer.kill()
        try open().close()
    }
}
