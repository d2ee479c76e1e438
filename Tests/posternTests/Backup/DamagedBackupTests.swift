import ServiceRuntime
import TestSupport
import Testing

@testable import postern

@Suite("O-01: a damaged backup is refused with its name and what `age` says")
struct DamagedBackupTests {
    private static let seed: UInt64 = 20
    private static let changes = 64

    private let temporary: TemporaryFolder
    private let path: String
    private let folder: Folder
    private let whole: [UInt8]
    private let archive: [UInt8]
    private let key: BackupKey

    init() throws {
        temporary = try TemporaryFolder()
        path = temporary.file("backup.age")
        folder = Folder(path: temporary.file("extracted"))
        try folder.make()
        var backup = BackupParts()
        for service in BackupEntry.services {
            let content = SeededRandomness(seed: Self.seed).bytes(50_000)
            backup.files.append((.database(store: service.store), content))
            backup.stores.append(
                .init(
                    service: service.name, store: service.store, keyID: "1a2b3c4d",
                    storageSchema: 1, serviceSchema: 1))
        }
        key = try BackupKey(in: temporary)
        archive = try backup.tar()
        whole = try key.encrypted(archive)
    }

    /// Reads a file with these bytes; no service's files are written.
    private func read(_ bytes: [UInt8], _ identity: String? = nil) throws -> RestoredFiles {
        try TextFile.replace(path, with: bytes)
        let reader = try BackupReader(path, identity: identity ?? key.identity, by: .installed)
        return try reader.extract([], into: folder)
    }

    /// Expects one line with the file's name, the program and these words of it.
    private func expectDamage(
        _ bytes: [UInt8], _ words: String = "", at location: SourceLocation = #_sourceLocation
    ) {
        let error = #expect(throws: ToolError.self, sourceLocation: location) { try read(bytes) }
        let text = error?.description ?? ""
        #expect(text.hasPrefix("\(path): age: error: "), "\(text)", sourceLocation: location)
        #expect(words.isEmpty || text.contains(words), "\(text)", sourceLocation: location)
        #expect(!text.contains("\n") && text.count < 500, sourceLocation: location)
    }

    @Test("the whole file is read")
    func intact() throws {
        #expect(try read(whole).origin == "made at 2026-01-31T09:05:00.250Z by version 0.1.0")
    }

    @Test("each of 64 flipped bits is found")
    func flips() {
        let randomness = SeededRandomness(seed: Self.seed)
        for change in 0..<Self.changes {
            // The header, which is short, gets a quarter of them.
            let end = change.isMultiple(of: 4) ? 200 : whole.count
            var bytes = whole
            bytes[Int(randomness.next() % UInt64(end))] ^= 1 << UInt8(randomness.next() % 8)
            expectDamage(bytes)
        }
    }

    @Test("bytes behind its end are found")
    func appended() {
        expectDamage(whole + [0], "payload")
        expectDamage(whole + whole, "payload")
    }

    @Test("a file that is not encrypted, an empty one and one of zeros are refused")
    func foreign() {
        expectDamage(archive, "failed to read header")
        expectDamage([], "failed to read header")
        expectDamage([UInt8](repeating: 0, count: 100_000), "failed to read header")
    }

    @Test("an archive that another program has encrypted is refused at its first header")
    func foreignArchive() throws {
        let other = try key.encrypted([UInt8](repeating: 1, count: 1 << 20))
        expectRefused("archive is damaged at byte 0") { try read(other) }
    }

    @Test("another key is refused, and without a key the error says how to name it")
    func otherKey() throws {
        let other = try BackupKey(in: temporary, "other-key.txt")
        expectRefused("\(path): age: error: no identity matched") {
            try read(whole, other.identity)
        }
        try TextFile.replace(path, with: whole)
        expectRefused("no identity matched any of the recipients; --identity FILE opens") {
            try BackupReader(path, identity: nil, by: .installed).extract([], into: folder)
        }
    }

    @Test("a damaged key is refused with the line, and not printed")
    func damagedKey() throws {
        let text = String(decoding: try TextFile.read(key.identity), as: UTF8.self)
        let secret = try #require(text.split(separator: "\n").last)
        let damaged = temporary.file("damaged.txt")
        try TextFile.replace(damaged, with: "# a key\n\(secret.dropLast())\n")
        let error = #expect(throws: ToolError.self) { try read(whole, damaged) }
        #expect(error?.description.contains("error at line 2") == true)
        #expect(error?.description.contains(secret.dropLast()) == false)
    }
}
