import ServiceRuntime
import TestSupport
import Testing

@testable import Cryptography

@Suite("age files: what is written can be read by its recipients only")
struct AgeRoundTripTests {
    private let key: AgeTestKey

    init() throws {
        key = try AgeTestKey()
    }

    @Test(
        "content of any length around a chunk's is read as it was written, in any pieces",
        arguments: [0, 1, 65_535, 65_536, 65_537, 131_072, 3 * 65_536])
    func lengths(count: Int) throws {
        let content = AgeFile.content(count)
        for pieceBytes in [1_000, 65_536, 65_537, 200_000] {
            let file = try AgeFile.encrypted(
                content, to: [key.recipient], pieceBytes: pieceBytes)
            for readBytes in [777, 65_552, 300_000] {
                #expect(
                    try AgeFile.decrypted(file, [key.identity], pieceBytes: readBytes) == content)
            }
        }
    }

    @Test("a file has a tag for each chunk and no chunk that is not needed")
    func size() throws {
        for (count, chunks) in [(0, 1), (1, 1), (65_536, 1), (65_537, 2), (131_072, 2)] {
            let writer = try AgeWriter(
                recipients: [key.recipient], randomness: SecureRandomness())
            let sealed =
                try writer.encrypt(AgeFile.content(count)).count + writer.finish().count
            #expect(sealed == count + 16 * chunks)
        }
    }

    @Test("each of several recipients can read the file, with its key among others")
    func recipients() throws {
        let others = try (2...4).map { try AgeTestKey(seed: $0) }
        let file = try AgeFile.encrypted([1, 2, 3], to: others.map(\.recipient))
        for other in others {
            #expect(try AgeFile.decrypted(file, [other.identity]) == [1, 2, 3])
            #expect(
                try AgeFile.decrypted(file, [key.identity, other.identity]) == [1, 2, 3])
        }
    }

    @Test("another key, a passphrase or nothing does not open a file that is encrypted to a key")
    func wrongKey() throws {
        let file = try AgeFile.encrypted([1], to: [key.recipient])
        let other = try AgeTestKey(seed: 2)
        #expect(throws: AgeFileError(22, .wrongKey)) {
            try AgeFile.decrypted(file, [other.identity])
        }
        #expect(throws: AgeFileError(22, .needsKey)) {
            try AgeFile.decrypted(file, [.passphrase("correct horse")])
        }
        #expect(throws: AgeFileError(22, .needsKey)) { try AgeFile.decrypted(file, []) }
    }

    @Test("a passphrase opens its file; another passphrase or a key does not")
    func passphrase() throws {
        let file = try AgeFile.encrypted([7, 8], to: [.passphrase("correct horse")])
        #expect(try AgeFile.decrypted(file, [.passphrase("correct horse")]) == [7, 8])
        #expect(throws: AgeFileError(22, .wrongPassphrase)) {
            try AgeFile.decrypted(file, [.passphrase("correct horses")])
        }
        #expect(throws: AgeFileError(22, .needsPassphrase)) {
            try AgeFile.decrypted(file, [key.identity])
        }
    }

    @Test("a passphrase is alone and not empty, and the number of recipients is limited")
    func recipientRules() throws {
        let passphrase = AgeRecipient.passphrase("correct horse")
        let many = Array(repeating: key.recipient, count: AgeWriter.recipientsMax)
        for recipients in [
            [], [passphrase, key.recipient], [passphrase, passphrase], [.passphrase("")],
            many + [key.recipient],
        ] {
            #expect(throws: AgeKeyError.self) {
                try AgeFile.encrypted([1], to: recipients)
            }
        }
        let file = try AgeFile.encrypted([1], to: many)
        #expect(try AgeFile.decrypted(file, [key.identity]) == [1])
    }

    @Test("two files of one content have no key, nonce or chunk in common")
    func randomness() throws {
        let files = try (0..<2).map { _ in try AgeFile.encrypted([1], to: [key.recipient]) }
        let lines = files.map { $0.split(separator: 10).prefix(4).map(Array.init) }
        #expect(lines[0][0] == lines[1][0])
        for line in 1...3 { #expect(lines[0][line] != lines[1][line]) }
        #expect(files[0].suffix(33).prefix(16) != files[1].suffix(33).prefix(16))
        #expect(files[0].suffix(17) != files[1].suffix(17))
    }

    @Test("an error of the file's reading is passed on, then and at each further call")
    func readError() throws {
        let file = try AgeFile.encrypted(AgeFile.content(200_000), to: [key.recipient])
        var rest = file[...]
        let reader = try AgeReader(identities: [key.identity]) { count in
            guard rest.count > 50_000 else { throw CryptographyError.system("read", 5) }
            defer { rest = rest.dropFirst(count) }
            return Array(rest.prefix(count))
        }
        #expect(throws: CryptographyError.system("read", 5)) {
            while try reader.next() != nil {}
        }
        #expect(throws: CryptographyError.system("read", 5)) { try reader.next() }
    }
}
