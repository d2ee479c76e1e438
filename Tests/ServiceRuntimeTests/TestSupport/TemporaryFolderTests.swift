import Glibc
import TestSupport
import Testing

@Suite("TemporaryFolder: deleted after the test")
struct TemporaryFolderTests {
    @Test("its files exist while it is held and are deleted with it")
    func life() throws {
        var folder: TemporaryFolder? = try TemporaryFolder()
        let path = try #require(folder?.path)
        let file = try #require(try folder?.write("text", to: "file"))
        #expect(file == path + "/file")
        #expect(access(file, R_OK) == 0)
        folder = nil
        #expect(access(path, F_OK) != 0)
    }

    @Test("two folders are never the same")
    func alone() throws {
        let (first, second) = (try TemporaryFolder(), try TemporaryFolder())
        #expect(first.path != second.path)
    }
}
