import Cryptography
import ServiceRuntime
import TestSupport
import Testing

@testable import postern

@Suite("O-01: a damaged backup is refused with the place of the damage")
struct DamagedBackupTests {
    private static let seed: UInt64 = 20
    private static let changes = 1_000

    private let temporary: TemporaryFolder
    private let path: String
    private let folder: Folder
    private let whole: [UInt8]
    private let key: AgeKeyPair

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
        key = try .generate(randomness: SecureRandomness())
        whole = try backup.encrypted(to: key)
    }

    /// Reads a file with these bytes; no service's files are written.
    private func read(_ bytes: [UInt8]) throws -> RestoredFiles {
        try TextFile.replace(path, with: bytes)
        return try BackupReader(path, [.x25519(key)]).extract([], into: folder)
    }

    /// The byte of the file that the error names.
    private func place(_ bytes: [UInt8]) -> Int? {
        do {
            _ = try read(bytes)
            return nil
        } catch {
            return "\(error)".split(separator: "at byte ").last
                .flatMap { Int($0.prefix { $0.isNumber }) }
        }
    }

    @Test("the whole file is read")
    func intact() throws {
        #expect(try read(whole).origin == "made at 2026-01-31T09:05:00.250Z by version 0.1.0")
    }

    @Test("each of 1,000 flipped bits is found, with a place no later than the bit")
    func flips() throws {
        let randomness = SeededRandomness(seed: Self.seed)
        for change in 0..<Self.changes {
            // The header, which is short, gets a tenth of them.
            let end = change.isMultiple(of: 10) ? 200 : whole.count
            let flipped = Int(randomness.next() % UInt64(end))
            var bytes = whole
            bytes[flipped] ^= 1 << UInt8(randomness.next() % 8)
            let named = try #require(place(bytes), "byte \(flipped)")
            #expect(named <= flipped || flipped < 200, "byte \(flipped), named \(named)")
        }
    }

    @Test("each of 1,000 cuts is found, with a place within the file")
    func cuts() throws {
        let randomness = SeededRandomness(seed: Self.seed)
        for change in 0..<Self.changes {
            let end = change.isMultiple(of: 10) ? 200 : whole.count
            let length = Int(randomness.next() % UInt64(end))
            let named = try #require(place(Array(whole[..<length])), "cut at \(length)")
            #expect(named <= length, "cut at \(length), named \(named)")
        }
    }

    @Test("bytes behind its end are found")
    func appended() throws {
        #expect(place(whole + [0]) != nil)
        #expect(place(whole + whole) != nil)
    }

    @Test("another key is refused, and the error says that it is the key")
    func otherKey() throws {
        let other = try AgeKeyPair.generate(randomness: SecureRandomness())
        try TextFile.replace(path, with: whole)
        expectRefused("none of the secret keys") {
            try BackupReader(path, [.x25519(other)]).extract([], into: folder)
        }
        expectRefused("a file with a secret key is needed: --identity FILE") {
            try BackupReader(path, [.passphrase(SecretBytes("horse"))]).extract([], into: folder)
        }
    }
}

extension BackupParts {
    /// The file of the backup.
    func encrypted(to key: AgeKeyPair) throws -> [UInt8] {
        let writer = try AgeWriter(
            recipients: [.x25519(key.publicKey)], randomness: SecureRandomness())
        return writer.header + (try writer.encrypt(tar())) + (try writer.finish())
    }
}
