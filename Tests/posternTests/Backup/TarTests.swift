import TestSupport
import Testing

@testable import postern

@Suite("The archive of a backup")
struct TarTests {
    private typealias File = (name: String, bytes: [UInt8])

    /// An archive of the files, written in parts of 100 bytes.
    private func archive(_ files: [File]) throws -> [UInt8] {
        var bytes: [UInt8] = []
        var writer = TarWriter(changedAt: 1_767_225_600) { bytes += $0 }
        for file in files {
            try writer.begin(
                #require(BackupEntry(file.name)), byteCount: Int64(file.bytes.count))
            for start in stride(from: 0, to: file.bytes.count, by: 100) {
                try writer.add(Array(file.bytes[start...].prefix(100)))
            }
        }
        try writer.finish()
        return bytes
    }

    /// The files of an archive that arrives in parts of `partBytes`.
    private func files(in archive: [UInt8], partBytes: Int = 64) throws -> [File] {
        var position = 0
        var reader = TarReader {
            guard position < archive.count else { return nil }
            defer { position += partBytes }
            return Array(archive[position...].prefix(partBytes))
        }
        var files: [File] = []
        while let header = try reader.next() {
            var bytes: [UInt8] = []
            while let part = try reader.read() { bytes += part }
            #expect(Int64(bytes.count) == header.byteCount)
            files.append((header.entry.name, bytes))
        }
        return files
    }

    private func bytes(_ count: Int) -> [UInt8] { (0..<count).map { UInt8($0 * 7 % 251) } }

    @Test(
        "files are read as they were written, whatever parts they arrive in",
        arguments: [1, 511, 512, 513, 10_000])
    func roundTrip(partBytes: Int) throws {
        let written: [File] = [
            ("identity.sqlite", bytes(1_024)), ("session.sqlite", []),
            ("ratelimit.log.7", bytes(1)), ("ratelimit.snapshot.7", bytes(511)),
            ("keys/identity.key", bytes(513)), ("manifest.json", bytes(512)),
        ]
        let read = try files(in: archive(written), partBytes: partBytes)
        #expect(read.map(\.name) == written.map(\.name))
        #expect(read.map(\.bytes) == written.map(\.bytes))
    }

    @Test("a file that is not read is skipped")
    func skipped() throws {
        let archive = try archive([
            ("identity.sqlite", bytes(3_000)), ("manifest.json", bytes(10)),
        ])
        var reader = TarReader(parts(of: archive))
        _ = try reader.next()
        #expect(try reader.next()?.entry == .manifest)
        #expect(try reader.read() == bytes(10))
        #expect(try reader.next() == nil)
    }

    @Test("tar lists and extracts it")
    func tar() throws {
        let folder = try TemporaryFolder()
        let file = try OutputFile(folder.file("backup.tar"), flags: 0)
        try file.write(
            archive([("identity.sqlite", bytes(700)), ("keys/identity.key", bytes(32))]))
        let listed = try SystemCommand(
            "tar", ["--numeric-owner", "-tvf", folder.file("backup.tar")])
        let lines = listed.said.split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines[0].hasPrefix("-rw------- 0/0") && lines[0].hasSuffix(" identity.sqlite"))
        let extracted = try SystemCommand(
            "tar", ["-xf", folder.file("backup.tar"), "-C", folder.path], withErrors: true)
        #expect(extracted.exitCode == 0, "\(extracted.said)")
        #expect(try TextFile.read(folder.file("identity.sqlite")) == bytes(700))
        #expect(try TextFile.read(folder.file("keys/identity.key")) == bytes(32))
    }

    @Test(
        "a length from 8 GiB on is written in base 256, and read again",
        arguments: [0, 1, 8_589_934_591, 8_589_934_592, 1 << 40, Int64.max])
    func lengths(byteCount: Int64) throws {
        let header = TarHeader(.manifest, byteCount: byteCount, changedAt: 5)
        #expect((header.block[124] == 0x80) == (byteCount >= 8_589_934_592))
        #expect(TarHeader(header.block) == header)
    }

    @Test("each changed byte of a header is refused, with its place")
    func changedHeaders() throws {
        let archive = try archive([("identity.sqlite", bytes(10)), ("manifest.json", bytes(10))])
        for place in (0..<512) {
            var changed = archive
            changed[1_024 + place] ^= 1
            let error = #expect(throws: ToolError.self) { try files(in: changed) }
            #expect(error?.description.contains("at byte 1024:") == true, "byte \(place)")
        }
    }

    @Test("each archive that is cut is refused")
    func cut() throws {
        let archive = try archive([("identity.sqlite", bytes(600)), ("manifest.json", bytes(10))])
        for length in 0..<archive.count {
            #expect(throws: ToolError.self) { try files(in: Array(archive.prefix(length))) }
        }
    }

    @Test("bytes behind the end, other padding and a second file of a name are refused")
    func strict() throws {
        let archive = try archive([("identity.sqlite", bytes(10))])
        var padded = archive
        padded[600] = 1
        let twice = try self.archive([("manifest.json", []), ("manifest.json", [])])
        for (bytes, place) in [(archive + [0], 2_048), (padded, 522), (twice, 512)] {
            let error = #expect(throws: ToolError.self) { try files(in: bytes) }
            #expect(error?.description.contains("at byte \(place):") == true)
        }
    }

    @Test("a file that is shorter or longer than was said is not written")
    func wrongLength() throws {
        var writer = TarWriter(changedAt: 0) { _ in }
        try writer.begin(.manifest, byteCount: 10)
        #expect(throws: ToolError.self) { try writer.add(bytes(11)) }
        try writer.add(bytes(9))
        #expect(throws: ToolError.self) {
            try writer.begin(.database(store: "identity"), byteCount: 1)
        }
        #expect(throws: ToolError.self) { try writer.finish() }
    }

    private func parts(of archive: [UInt8]) -> () throws -> [UInt8]? {
        var rest: [UInt8]? = archive
        return {
            defer { rest = nil }
            return rest
        }
    }
}
