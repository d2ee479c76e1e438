import FoundationEssentials
import Glibc
import ServiceRuntime
import TestSupport
import Testing

@testable import PersonalData

@Suite("ZIP archives")
struct ZIPWriterTests {
    private static let moment = Timestamp(milliseconds: 1_795_467_909_000)

    /// Writes files, each in parts of `part` bytes.
    private func archive(_ files: [(String, [UInt8])], part: Int) throws -> [UInt8] {
        var zip = try ZIPWriter(at: Self.moment)
        var bytes: [UInt8] = []
        for (name, content) in files {
            bytes += try zip.begin(name)
            for start in stride(from: 0, to: content.count, by: part) {
                bytes += try zip.append(Array(content[start..<min(start + part, content.count)]))
            }
            bytes += try zip.end()
        }
        bytes += try zip.finish()
        #expect(zip.offset == UInt64(bytes.count))
        return bytes
    }

    @Test("files come out as they went in, in parts of any size", arguments: [1, 7, 65_536])
    func same(part: Int) throws {
        let randomness = SeededRandomness(seed: 5)
        let files: [(String, [UInt8])] = [
            ("empty.json", []), ("short.json", Array("{}".utf8)),
            ("same.json", [UInt8](repeating: 65, count: 70_000)),
            ("photo.jpeg", randomness.bytes(40_000)),
            ("übung.json", Array("größer".utf8)),
        ]
        let read = try ZIPReader(archive(files, part: part))
        #expect(read.files.map(\.name) == files.map(\.0))
        for (found, file) in zip(read.files, files) { #expect(found.content == file.1) }
    }

    @Test("an archive without files has a directory")
    func none() throws {
        #expect(try ZIPReader(archive([], part: 1)).files.isEmpty)
    }

    @Test(
        "a name that leads out of the folder, or that is there already, is refused",
        arguments: ["", "../x", ".x", "a/b", "/a", "a\\b", "a\u{0}", "same.json"])
    func names(name: String) throws {
        var zip = try ZIPWriter(at: Self.moment)
        _ = try zip.begin("same.json")
        _ = try zip.end()
        #expect(throws: ZIPError.badName) { try zip.begin(name) }
    }

    @Test("other programs read it: Python's zipfile, and unzip where it is installed")
    func others() async throws {
        let folder = try TemporaryFolder()
        let bytes = try archive(
            [("a.json", Array("[1]".utf8)), ("übung.txt", [1, 2, 3])], part: 2)
        let path = folder.file("a.zip")
        try Data(bytes).write(to: URL(filePath: path))
        let nothing = open("/dev/null", O_RDWR | O_CLOEXEC)
        defer { close(nothing) }
        for command in ["python3 -m zipfile -t", "unzip -tqq"] {
            let program = command.prefix { $0 != " " }
            let run = try ChildProcess(
                "/bin/sh",
                ["-c", "command -v \(program) >/dev/null || exit 0; \(command) \(path)"],
                in: folder.path, environment: ["PATH": "/usr/bin:/bin"], input: nothing,
                output: nothing, errors: nothing)
            #expect(await run.end() == 0, "\(command)")
        }
    }
}
