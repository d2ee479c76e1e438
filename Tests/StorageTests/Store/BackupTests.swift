import TestSupport
import Testing

@testable import Storage

@Suite("Backups")
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

    @Test("a backup overwrites no file and leaves no partial one")
    func backupOverwritesNothing() async throws {
        let store = try Entries.open(folder)
        let path = try folder.write("precious", to: "old")
        await #expect(throws: StoreError.backupExists(path)) { try await store.backup(to: path) }
        await #expect(throws: SQLError.self) {
            try await store.backup(to: folder.file("missing/copy"))
        }
        #expect(folder.names.allSatisfy { !$0.hasSuffix(".partial") })
        store.close()
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
