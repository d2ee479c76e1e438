import TestSupport
import Testing

@testable import Storage

@Suite("Private files")
struct PrivateFileTests {
    @Test(
        "a path's folder is everything before its last slash",
        arguments: [("/a/b", "/a"), ("/a", "/"), ("a", "."), ("a/b/c", "a/b"), ("", ".")])
    func folders(_ path: String, _ folder: String) {
        #expect(PrivateFile.folder(of: path) == folder)
    }

    @Test("a folder is created once, and a missing parent is an error")
    func foldersAreMade() throws {
        let folder = try TemporaryFolder()
        try PrivateFile.makeFolder(folder.file("new"))
        try PrivateFile.makeFolder(folder.file("new"))
        #expect(throws: SQLError.self) { try PrivateFile.makeFolder(folder.file("a/b")) }
    }
}
