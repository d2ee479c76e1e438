import FoundationEssentials
import ServiceRuntime
import TestSupport
import Testing

@testable import Storage

@Suite(
    "Backups", .enabled(if: TestStore.runs("*Backup*")))
struct BackupTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("a backup taken during writes is a consistent snapshot")
    func backupUnderWrites() async throws {
        let store = try Entries.open(folder)
        let block = [UInt8](repeating: 3, count: 10_000)
        for number in 1...200 { try await store.writePair(number, block) }
        try await withThrowingTaskGroup { group in
            for writer in 1...4 {
                group.addTask {
                    for number in 1...50 {
                        try await store.writePair(writer * 1_000 + number, block)
                    }
                }
            }
            group.addTask { try await store.backup(to: folder.file("copy.sqlite")) }
            try await group.waitForAll()
        }
        store.close()

        let copy = try TestStore.open("copy", Entries.migrations, in: folder.path)
        let entries = try await copy.read { try $0.entries() }
        #expect(Set((1...200).flatMap { [$0, -$0] }).isSubset(of: entries))
        #expect(entries.reduce(0, +) == 0, "each flow's two rows are both there or neither")
        let check = try await copy.read { session in
            try session.query("PRAGMA integrity_check") { try $0.text(0) }
        }
        #expect(check == ["ok"])
        copy.close()
    }

    @Test("a snapshot has every answered flow, and the next commit waits until the hold is over")
    func hold() async throws {
        let store = try Entries.open(folder)
        try await store.write(about: []) { try $0.insertEntry(1) }
        let clock = ContinuousClock()
        let begun = clock.now
        let snapshot = try await store.snapshot(holdingCommitsFor: Store.holdMax)
        try await store.write(about: []) { try $0.insertEntry(2) }
        #expect(clock.now - begun >= Store.holdMax)
        #expect(snapshot.schema["service"] == 1)
        #expect(snapshot.schema["storage"] == StorageTables.migrations.count)
        #expect(snapshot.keyCheck == nil)
        try await write(snapshot, to: "copy.sqlite")
        store.close()
        let copy = try TestStore.open("copy", Entries.migrations, in: folder.path)
        #expect(try await copy.read { try $0.entries() } == [1])
        copy.close()
    }

    private func write(_ snapshot: StoreSnapshot, to name: String) async throws {
        let copy = try await snapshot.copied()
        #expect(copy.name == "entries.sqlite")
        #expect(!folder.names.contains("entries.backup-copy"), "only the open file is left of it")
        #expect(try copy.read(1, at: copy.bytes).isEmpty)
        var bytes: [UInt8] = []
        while bytes.count < copy.bytes { bytes += try copy.read(1_000, at: bytes.count) }
        try Data(bytes).write(to: URL(filePath: folder.file(name)))
    }

    @Test("a snapshot that is released frees the log")
    func released() async throws {
        let store = try Entries.open(folder)
        var snapshot: StoreSnapshot? = try await store.snapshot(holdingCommitsFor: .zero)
        #expect(snapshot?.schema.count == 2)
        try await store.write(about: []) { try $0.insertEntry(1) }
        snapshot = nil
        try await store.truncateLog()
        store.close()
    }

    @Test("a truncation of the log does not hold up commits while a backup reads it")
    func truncation() async throws {
        let store = try Entries.open(folder)
        try await store.write(about: []) { try $0.insertEntry(1) }
        let snapshot = try await store.snapshot(holdingCommitsFor: .zero)
        try await store.write(about: []) { try $0.insertEntry(2) }
        let clock = ContinuousClock()
        let begun = clock.now
        await #expect(throws: ServiceError.self) { try await store.truncateLog() }
        try await store.write(about: []) { try $0.insertEntry(3) }
        #expect(clock.now - begun < .milliseconds(Int(SQLiteEngine.busyMilliseconds)))
        _ = try await snapshot.copied()
        try await store.truncateLog()
        store.close()
    }

    @Test("a store has one copy at a time, and removes one that a crash left")
    func leftover() async throws {
        let path = try folder.write("left", to: "entries.backup-copy")
        try folder.write("left", to: "entries.backup-copy-journal")
        let log = CapturedLog()
        let store = try Entries.open(folder, log: log)
        #expect(!folder.names.contains { $0.contains("backup-copy") })
        try folder.write("of another call", to: "entries.backup-copy")
        let snapshot = try await store.snapshot(holdingCommitsFor: .zero)
        await #expect(throws: ServiceError.self) { try await snapshot.copied() }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "of another call")
        #expect(log.lines.contains { $0.contains("store.backup.failed") && $0.contains("exists") })
        store.close()
    }

    @Test(
        "a copy leaves space for the store's log",
        arguments: [
            (4_096, 128 << 20 + 4_096, true), (4_096, 128 << 20 + 4_095, false), (0, 0, false),
            (.max, .max, false),
        ] as [(UInt64, UInt64, Bool)])
    func space(bytes: UInt64, free: UInt64, isEnough: Bool) {
        do {
            try SQLiteConnection.requireSpace(for: bytes, free: free)
            #expect(isEnough)
        } catch {
            #expect(!isEnough && (error as? SQLError)?.kind == .full)
        }
    }

    @Test("a copy that is cancelled ends and leaves nothing")
    func cancelled() async throws {
        let store = try Entries.open(folder)
        let snapshot = try await store.snapshot(holdingCommitsFor: .zero)
        await #expect(throws: CancellationError.self) {
            try await withThrowingTaskGroup(of: Void.self) { group in
                // First, since a small store is copied at once.
                group.cancelAll()
                group.addTask { _ = try await snapshot.copied() }
                try await group.waitForAll()
            }
        }
        #expect(!folder.names.contains { $0.contains("backup-copy") })
        try await store.truncateLog()
        store.close()
    }

    @Test("a damaged page fails the copy")
    func damaged() async throws {
        let block = [UInt8](repeating: 3, count: 10_000)
        let store = try Entries.open(folder)
        for number in 1...50 { try await store.writePair(number, block) }
        store.close()
        var bytes = try Data(contentsOf: URL(filePath: store.location))
        bytes.replaceSubrange((bytes.count - 4_096)..., with: Data(repeating: 0xff, count: 4_096))
        try bytes.write(to: URL(filePath: store.location))
        let damaged = try Entries.open(folder)
        let error = await #expect(throws: SQLError.self) {
            try await damaged.snapshot(holdingCommitsFor: .zero).copied()
        }
        #expect(error?.kind == .corrupt)
        damaged.close()
    }
}

extension Store {
    fileprivate func writePair(_ number: Int, _ block: [UInt8]) async throws {
        try await write(about: []) { transaction in
            try transaction.insertEntry(number, body: block)
            try transaction.insertEntry(-number)
        }
    }
}
