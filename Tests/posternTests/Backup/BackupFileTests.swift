import Glibc
import JSON
import TestSupport
import Testing

@testable import postern

@Suite("The encrypted file of a backup")
struct BackupFileTests {
    private let folder: TemporaryFolder
    private let key: BackupKey

    init() throws {
        folder = try TemporaryFolder()
        key = try BackupKey(in: folder)
    }

    private func file(_ name: String, by age: AgeProgram = .installed) throws -> BackupFile {
        try BackupFile(folder.file(name), for: [key.recipient], by: age)
    }

    /// What the folder has beside the key.
    private func files() throws -> [String] {
        try Folder(path: folder.path).names().filter { folder.file($0) != key.identity }
    }

    @Test("only its owner can read it, and it has its name when it is complete")
    func complete() throws {
        let content = [UInt8](repeating: 7, count: 200_000)
        let written = try file("b.age")
        for start in stride(from: 0, to: content.count, by: 50_000) {
            try written.write(Array(content[start...].prefix(50_000)))
        }
        #expect(access(written.path, F_OK) != 0)
        try written.finish()
        var status = stat()
        #expect(stat(written.path, &status) == 0 && status.st_mode & 0o777 == 0o600)
        #expect(Int64(status.st_size) == written.byteCount)
        #expect(try files() == ["b.age"])
        #expect(try key.opened(written.path) == content)
    }

    @Test("O-01: without its program a backup names the package, and leaves no file")
    func noProgram() throws {
        let missing = AgeProgram(path: "/no/such/age", patience: .seconds(60))
        expectRefused("install the Debian package age") { try file("b.age", by: missing) }
        #expect(try files().isEmpty)
    }

    @Test(
        "O-01: its program is killed or hangs: the error says so, and no half file is left",
        arguments: [SIGKILL, SIGSTOP])
    func programEnds(signal: Int32) throws {
        let written = try file(
            "b.age", by: AgeProgram(path: "age", patience: .seconds(1)))
        try written.write([1, 2, 3])
        #expect(kill(written.encryptingProcess, signal) == 0)
        let words = signal == SIGKILL ? "was ended by signal 9 (Killed)" : "for 1s"
        let error = #expect(throws: ToolError.self) { try written.finish() }
        #expect(error?.description.hasPrefix("\(written.path): age ") == true)
        #expect(error?.description.contains(words) == true)
        written.discard()
        #expect(try files().isEmpty)
    }

    @Test("a folder that does not exist is named, and what to do")
    func noFolder() {
        expectRefused("there is no folder \(folder.file("none/")): make it") {
            try file("none/b.age")
        }
    }

    @Test("no file is replaced, and none is shared with another backup")
    func existing() throws {
        try folder.write("x", to: "b.age")
        #expect(throws: ToolError.self) { try file("b.age") }
        let first = try file("c.age")
        let error = #expect(throws: ToolError.self) { try file("c.age") }
        #expect(error?.description.contains("another backup") == true)
        first.discard()
        #expect(try files() == ["b.age"])
    }

    @Test("a draft is locked while it is written, so that no other process removes it")
    func locked() throws {
        let place = Folder(path: folder.path)
        do {
            let written = try file("b.age")
            try written.write([1])
            #expect(place.holder(ofLock: "b.age.partial") != nil)
        }
        #expect(place.has("b.age.partial") && place.holder(ofLock: "b.age.partial") == nil)
    }

    @Test("the summary names the keys without which the backup opens nothing, each time")
    func summary() throws {
        func summary(hasKeys: Bool) -> BackupSummary {
            BackupSummary(
                file: "b.age", byteCount: 12_345_678, duration: .milliseconds(2_150),
                hold: .milliseconds(50), tries: 2,
                manifest: BackupManifest(
                    createdAt: "2026-01-31T09:05:00.250Z", version: "1",
                    stores: [
                        .init(
                            service: "identity", store: "identity", keyID: "1a2b3c4d",
                            storageSchema: 11, serviceSchema: 21)
                    ],
                    files: [
                        .init(
                            entry: .database(store: "identity"), byteCount: 4_096,
                            hash: [UInt8](repeating: 0, count: 32))
                    ], hasKeys: hasKeys))
        }
        #expect(
            summary(hasKeys: false).text == [
                "b.age: 12.3 MB in 2.1 s",
                "all stores as of 2026-01-31T09:05:00.250Z; commits were held for 50 ms, at try 2",
                "  identity      4.0 kB",
                "opens nothing without these keys: identity.key 1a2b3c4d",
            ])
        #expect(summary(hasKeys: true).text.last?.hasPrefix("contains the keys") == true)
        #expect(summary(hasKeys: false).json.object?["bytes"] == .integer(12_345_678))
    }
}
