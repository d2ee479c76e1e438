import Glibc
import TestSupport
import Testing

@testable import Storage

@Suite(
    "B19: a file that is not a store", .enabled(if: TestStore.runs("NoStoreTests")))
struct NoStoreTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("B19: a file that is not a database is an error with its name and what to do")
    func notADatabase() throws {
        let words = String(repeating: "not a database ", count: 500)
        let path = try folder.write(words, to: "entries.sqlite")
        let error = #expect(throws: StoreError.self) { try Entries.open(folder) }
        let text = "\(error.map { "\($0)" } ?? "")"
        #expect(text.hasPrefix("\(path) is not a store or is damaged"))
        #expect(text.contains("restore a backup"))
        #expect(!text.contains("SQLError") && !text.contains("Kind"))
    }

    @Test("B19: a file that cannot be opened is an error with its name and what to do")
    func notOpened() throws {
        #expect(mkdir(folder.file("entries.sqlite"), 0o700) == 0)
        let error = #expect(throws: StoreError.self) { try Entries.open(folder) }
        let text = "\(error.map { "\($0)" } ?? "")"
        #expect(text.contains(folder.file("entries.sqlite")) && text.contains("cannot be opened"))
        #expect(!text.contains("SQLError"))
    }
}
