import Glibc
import TestSupport
import Testing

@Suite("TemporaryFolder: gone when the test is")
struct TemporaryFolderTests {
    @Test("holds files while it is held, and nothing stays")
    func life() throws {
        var folder: TemporaryFolder? = try TemporaryFolder()
        let path = try #require(folder?.path)
        let file = try #require(try folder?.write("text", to: "file"))
        #expect(file == path + "/file")
        #expect(access(file, R_OK) == 0)
        folder = nil
        #expect(access(path, F_OK) != 0)
    }

    @Test("two are never the same")
    func alone() throws {
        let (first, second) = (try TemporaryFolder(), try TemporaryFolder())
        #expect(first.path != second.path)
    }
}
