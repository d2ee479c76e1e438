import Glibc
import ServiceRuntime
import TestSupport
import Testing

@testable import Storage

@Suite("Files of lines that only grow")
struct LineFileTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func lines(_ file: LineFile) throws -> [String] {
        var lines: [String] = []
        try file.forEachLine { lines.append(String(decoding: $0, as: UTF8.self)) }
        return lines
    }

    @Test("lines are read as they were appended, also after the file was opened again")
    func append() throws {
        let path = folder.file("new/lines.txt")
        let file = try LineFile(path)
        #expect(try lines(file).isEmpty)
        try file.append(Array("a\nbc\n".utf8))
        try file.append(Array("\n".utf8))
        #expect(try lines(file) == ["a", "bc", ""])
        #expect(try lines(LineFile(path)) == ["a", "bc", ""])
    }

    @Test("only the owner can read the file and its folder")
    func permissions() throws {
        _ = try LineFile(folder.file("new/lines.txt"))
        for (path, mode) in [("new", mode_t(0o700)), ("new/lines.txt", 0o600)] {
            var status = stat()
            #expect(stat(folder.file(path), &status) == 0)
            #expect(status.st_mode & 0o777 == mode)
        }
    }

    @Test(
        "an incomplete last line is cut off, and the next one begins at the line's start",
        arguments: ["", "a\n", "a\nb\n"])
    func incomplete(complete: String) throws {
        let path = try folder.write(complete + "tor", to: "lines.txt")
        let file = try LineFile(path)
        try file.append(Array("next\n".utf8))
        #expect(try lines(file) == complete.split(separator: "\n").map(String.init) + ["next"])
    }

    @Test("lines on the border of what one read returns are whole")
    func long() throws {
        let file = try LineFile(folder.file("lines.txt"))
        let written = (0..<40_000).map { "line \($0)" }
        try file.append(Array((written.joined(separator: "\n") + "\n").utf8))
        #expect(try lines(file) == written)
    }

    @Test("a file that has no lines is an error, and stays as it is")
    func foreign() throws {
        let path = try folder.write(String(repeating: "x", count: 100_000), to: "lines.txt")
        #expect(throws: SQLError.self) { _ = try LineFile(path) }
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_size == 100_000)
    }

    @Test("a line is in every file when the call returns; many calls share a sync")
    func several() async throws {
        let files = try ["a", "b"].map { try LineFile(folder.file("\($0)/lines.txt")) }
        let writer = try LineFiles(files)
        try await withThrowingTaskGroup { group in
            for number in 0..<1_000 {
                group.addTask { try await writer.append(Array("\(number)\n".utf8)) }
            }
            try await group.waitForAll()
        }
        for file in files {
            #expect(try Set(lines(file)) == Set((0..<1_000).map(String.init)))
            #expect(try lines(file).count == 1_000)
        }
        writer.close()
        let error = await #expect(throws: ServiceError.self) {
            try await writer.append(Array("late\n".utf8))
        }
        #expect(error?.code == .unavailable)
    }
}
