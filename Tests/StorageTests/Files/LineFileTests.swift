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

    @Test("lines are left out by a file that replaces the former one, and the next ones go there")
    func keep() throws {
        let path = folder.file("lines.txt")
        // More than one write, and a draft of a crash.
        let written = (0..<40_000).map { "line \($0)" }
        let file = try LineFile(path)
        try file.append(Array((written.joined(separator: "\n") + "\n").utf8))
        try folder.write("half a li", to: "lines.txt.draft")
        let before = try status(path).st_ino
        #expect(try file.keep { _ in true } == 0)
        #expect(try status(path).st_ino == before, "nothing to leave out")
        #expect(try file.keep { $0.last != UInt8(ascii: "7") } == 4_000)
        try file.append(Array("next\n".utf8))
        let kept = written.filter { !$0.hasSuffix("7") } + ["next"]
        #expect(try lines(file) == kept)
        #expect(try lines(LineFile(path)) == kept)
        #expect(try status(path).st_mode & 0o777 == 0o600)
        #expect(folder.names == ["lines.txt"])
        #expect(try file.keep { _ in false } == kept.count)
        #expect(try lines(file).isEmpty)
    }

    @Test("a file that cannot be rewritten stays as it is, and takes further lines")
    func keepFails() throws {
        let file = try LineFile(folder.file("lines.txt"))
        try file.append(Array("a\nb\n".utf8))
        // A folder in the draft's place.
        try PrivateFile.makeFolder(folder.file("lines.txt.draft"))
        #expect(throws: SQLError.self) { _ = try file.keep { $0 == [UInt8(ascii: "b")] } }
        try file.append(Array("c\n".utf8))
        #expect(try lines(file) == ["a", "b", "c"])
    }

    @Test("lines that are appended while others are left out are in every file")
    func keepBesideAppends() async throws {
        let files = try ["a", "b"].map { try LineFile(folder.file("\($0)/lines.txt")) }
        let writer = try LineFiles(files)
        defer { writer.close() }
        for number in 0..<100 { try await writer.append(Array("old \(number)\n".utf8)) }
        try await withThrowingTaskGroup { group in
            for number in 0..<500 {
                group.addTask { try await writer.append(Array("\(number)\n".utf8)) }
                guard number.isMultiple(of: 100) else { continue }
                group.addTask { _ = try await writer.keep { !$0.starts(with: "old".utf8) } }
            }
            try await group.waitForAll()
        }
        for file in files {
            #expect(try Set(lines(file)) == Set((0..<500).map(String.init)))
        }
    }

    private func status(_ path: String) throws -> stat {
        var status = stat()
        try #require(stat(path, &status) == 0)
        return status
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
