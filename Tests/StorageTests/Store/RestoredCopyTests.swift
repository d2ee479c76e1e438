import ServiceRuntime
import TestSupport
import Testing

@testable import Storage

@Suite(
    "A restored backup is recognised as a copy", .enabled(if: TestStore.runs("Restore*")))
struct RestoredCopyTests {
    private let folder: TemporaryFolder
    private let time = ManualTime()

    init() throws { folder = try TemporaryFolder() }

    private func open(_ name: String, _ log: CapturedLog = CapturedLog()) throws -> Store {
        try TestStore.open(
            name, [], in: folder.path, time: time, logger: log.logger(time: time))
    }

    /// A closed store `copy`, made as a backup.
    private func makeCopy() async throws {
        let original = try open("original")
        #expect(!original.isRestoredCopy)
        try await original.backup(to: folder.file("copy.sqlite"))
        original.close()
    }

    @Test("Erasure: a copy is marked as restored until its service has settled it")
    func copy() async throws {
        try await makeCopy()
        let original = try open("original")
        #expect(!original.isRestoredCopy, "a backup does not change what it is made of")
        original.close()
        for _ in 0..<2 {
            let copy = try open("copy")
            #expect(copy.isRestoredCopy)
            copy.close()
        }
        let log = CapturedLog()
        let copy = try open("copy", log)
        for _ in 0..<2 { try await copy.settleRestoredCopy(about: []) { _ in 7 } }
        #expect(try await settled(copy) == [7], "settled once, also within one run")
        #expect(log.lines.count { $0.contains("store.restored") } == 1)
        copy.close()
        let last = try open("copy")
        #expect(!last.isRestoredCopy)
        try await last.settleRestoredCopy(about: []) { _ in 8 }
        #expect(try await settled(last) == [7])
        last.close()
    }

    /// The counts of the audit events of restores.
    private func settled(_ store: Store) async throws -> [Int64] {
        try await store.read {
            try $0.query(
                "SELECT attempt FROM audit WHERE kind = ?",
                [.text(AuditKind.backupRestored.rawValue)]
            ) { try $0.integer(0) }
        }
    }

    @Test("Erasure: a failed transaction leaves the copy marked as restored")
    func failure() async throws {
        try await makeCopy()
        let copy = try open("copy")
        await #expect(throws: ServiceError.self) {
            try await copy.settleRestoredCopy(about: []) { _ in
                throw ServiceError(.internalError)
            }
        }
        #expect(try await settled(copy) == [])
        copy.close()
        let again = try open("copy")
        #expect(again.isRestoredCopy)
        again.close()
    }
}
