import Glibc
import ServiceRuntime
import TestSupport
import Testing

@testable import Storage

@Suite("Private files")
struct PrivateFileTests {
    @Test(
        "a path's folder is everything before its last slash",
        arguments: [("/a/b", "/a"), ("/a", "/"), ("a", "."), ("a/b/c", "a/b"), ("", ".")])
    func folders(_ path: String, _ folder: String) {
        #expect(Files.folder(of: path) == folder)
    }

    @Test("a folder is created once, and a missing parent is an error")
    func foldersAreMade() throws {
        let folder = try TemporaryFolder()
        try PrivateFile.makeFolder(folder.file("new"))
        try PrivateFile.makeFolder(folder.file("new"))
        #expect(throws: SQLError.self) { try PrivateFile.makeFolder(folder.file("a/b")) }
    }

    @Test("making a file that exists releases no lock that this process holds on it")
    func locksRemain() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("locked")
        try PrivateFile.make(path)
        let file = open(path, O_RDWR)
        defer { close(file) }
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        #expect(fcntl(file, F_SETLK, &lock) == 0)
        try PrivateFile.make(path)
        // A process does not see its own locks; an open file description does. `F_OFD_GETLK` of
        // <fcntl.h>, which Glibc's module leaves out.
        let getLockOfDescription: Int32 = 36
        let other = open(path, O_RDWR)
        defer { close(other) }
        var found = flock()
        found.l_type = Int16(F_WRLCK)
        #expect(fcntl(other, getLockOfDescription, &found) == 0)
        #expect(found.l_type == Int16(F_WRLCK))
    }
}
