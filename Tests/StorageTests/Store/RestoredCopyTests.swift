import ServiceRuntime
import TestSupport
import Testing

@testable import Storage

@Suite("A restored backup is recognised as a copy")
struct RestoredCopyTests {
    private let folder: TemporaryFolder
    private let time = ManualTime()

    init() throws { folder = try TemporaryFolder() }

    private func open(_ name: String) throws -> Store {
        try TestStore.open(name, [], in: folder.path, time: time)
    }

    @Test(
        "Erasure: a copy is marked as restored until its service has processed it"
    )
    func copy() async throws {
        let original = try open("original")
        #expect(!original.isRestoredCopy)
        try await original.backup(to: folder.file("copy.sqlite"))
        original.close()
        let again = try open("original")
        #expect(!again.isRestoredCopy, "a backup does not change what it is made of")
        again.close()
        for _ in 0..<2 {
            let copy = try open("copy")
            #expect(copy.isRestoredCopy)
            copy.close()
        }
        let copy = try open("copy")
        try await copy.write(about: []) { try $0.forgetRestore() }
        copy.close()
        let last = try open("copy")
        #expect(!last.isRestoredCopy)
        last.close()
    }

    @Test("Erasure: a failed transaction leaves the copy marked as restored")
    func failure() async throws {
        let original = try open("original")
        try await original.backup(to: folder.file("copy.sqlite"))
        original.close()
        let copy = try open("copy")
        await #expect(throws: ServiceError.self) {
            try await copy.write(about: []) { transaction in
                try transaction.forgetRestore()
                throw ServiceError(.internalError)
            }
        }
        copy.close()
        let again = try open("copy")
        #expect(again.isRestoredCopy)
        again.close()
    }
}
