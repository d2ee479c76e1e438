import ServiceRuntime
import TestSupport

@testable import Cryptography

/// Age files in memory.
enum AgeFile {
    /// The content of a file, or the error at its end.
    struct Read {
        var content: [UInt8] = []
        var error: AgeFileError?
    }

    /// Encrypts `content`, given in pieces of `pieceBytes`.
    static func encrypted(
        _ content: [UInt8], to recipients: [AgeRecipient], pieceBytes: Int = 10_000,
        workFactor: Int = 4, randomness: any Randomness = SecureRandomness()
    ) throws -> [UInt8] {
        let writer = try AgeWriter(
            recipients: recipients, randomness: randomness, workFactor: workFactor)
        var file = writer.header
        for start in stride(from: 0, to: content.count, by: pieceBytes) {
            file += try writer.encrypt(content[start..<min(start + pieceBytes, content.count)])
        }
        return try file + writer.finish()
    }

    /// The content of `file`, which is read in pieces of at most `pieceBytes`.
    static func decrypted(
        _ file: [UInt8], _ identities: [AgeIdentity], pieceBytes: Int = 50_000
    ) throws -> [UInt8] {
        let reader = try reader(file, identities, pieceBytes: pieceBytes)
        var content: [UInt8] = []
        while let chunk = try reader.next() { content += chunk }
        return content
    }

    /// What a reader returns before its error.
    static func read(_ file: [UInt8], _ identities: [AgeIdentity]) throws -> Read {
        var read = Read()
        do {
            let reader = try reader(file, identities, pieceBytes: 50_000)
            while let chunk = try reader.next() { read.content += chunk }
        } catch let error as AgeFileError {
            read.error = error
        }
        return read
    }

    static func reader(
        _ file: [UInt8], _ identities: [AgeIdentity], pieceBytes: Int
    ) throws -> AgeReader {
        var rest = file[...]
        return try AgeReader(identities: identities) { count in
            let piece = rest.prefix(min(count, pieceBytes))
            rest = rest.dropFirst(piece.count)
            return Array(piece)
        }
    }

    /// Different bytes, so that chunks differ.
    static func content(_ count: Int) -> [UInt8] {
        SeededRandomness(seed: UInt64(count)).bytes(count)
    }
}

/// A key pair that is the same in each run.
struct AgeTestKey {
    let keys: AgeKeyPair
    var recipient: AgeRecipient { .x25519(keys.publicKey) }
    var identity: AgeIdentity { .x25519(keys) }

    init(seed: UInt64 = 1) throws {
        keys = try .generate(randomness: SeededRandomness(seed: seed))
    }
}
