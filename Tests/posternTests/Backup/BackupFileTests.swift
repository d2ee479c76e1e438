import Cryptography
import Glibc
import JSON
import ServiceRuntime
import TestSupport
import Testing

@testable import postern

@Suite("The encrypted file of a backup")
struct BackupFileTests {
    private let folder: TemporaryFolder
    private let pair: AgeKeyPair

    init() throws {
        folder = try TemporaryFolder()
        pair = try AgeKeyPair.generate(randomness: SeededRandomness(seed: 1))
    }

    private func file(_ name: String) throws -> BackupFile {
        try BackupFile(
            folder.file(name), for: [.x25519(pair.publicKey)],
            randomness: SeededRandomness(seed: 2))
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
        #expect(access(written.path + ".partial", F_OK) != 0)

        let bytes = try TextFile.read(written.path)
        var position = 0
        let reader = try AgeReader(identities: [.x25519(pair)]) { count in
            defer { position += count }
            return Array(bytes.dropFirst(position).prefix(count))
        }
        var read: [UInt8] = []
        while let part = try reader.next() { read += part }
        #expect(read == content)
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
        #expect(try Folder(path: folder.path).names() == ["b.age"])
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
