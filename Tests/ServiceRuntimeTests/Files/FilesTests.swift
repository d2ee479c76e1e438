import Glibc
import ServiceRuntime
import TestSupport
import Testing

@Suite("System calls on files")
struct FilesTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("what is written at a place is read there, and reading ends with the file")
    func places() throws {
        let file = open(try folder.write("0123456789", to: "file"), O_RDWR | O_CLOEXEC)
        try #require(file >= 0)
        defer { close(file) }
        let isWritten = Array("abc".utf8).withUnsafeBytes { Files.write($0, to: file, at: 4) }
        #expect(isWritten)
        var bytes = [UInt8](repeating: 0, count: 8)
        let count = bytes.withUnsafeMutableBytes { Files.read(into: $0, from: file, at: 3) }
        #expect(count == 7)
        #expect(String(decoding: bytes[..<7], as: UTF8.self) == "3abc789")
        let end = bytes.withUnsafeMutableBytes { Files.read(into: $0, from: file, at: 10) }
        #expect(end == 0)
    }

    @Test("a call that fails says why in errno")
    func failures() throws {
        let full = open("/dev/full", O_WRONLY | O_CLOEXEC)
        try #require(full >= 0)
        defer { close(full) }
        let isWritten = [UInt8(1)].withUnsafeBytes { Files.write($0, to: full) }
        var reason = errno
        #expect(!isWritten && reason == ENOSPC)
        let isOnDisk = Files.sync(folder.path + "/absent")
        reason = errno
        #expect(!isOnDisk && reason == ENOENT)
    }

    @Test("a folder's entries are sorted, without the folder itself and the one above")
    func names() throws {
        for name in ["b", ".c", "a"] { _ = try folder.write("", to: name) }
        #expect(Files.names(in: folder.path) == [".c", "a", "b"])
        #expect(Files.names(in: folder.path + "/absent") == nil)
        #expect(Files.sync(folder.path))
    }
}
