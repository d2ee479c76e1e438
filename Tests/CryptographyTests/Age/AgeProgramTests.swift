import Foundation
import ServiceRuntime
import TestSupport
import Testing

@testable import Cryptography

/// Debian's package `age`, which `docker/test.sh` installs. It takes a passphrase only from a
/// terminal, so that files for passphrases are tested with vectors.
@Suite("age files: the program age reads ours, and we read its files")
struct AgeProgramTests {
    private static let lengths = [0, 1, 65_535, 65_536, 65_537, 200_000]
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test("age decrypts what we encrypt, with an identity file of ours", arguments: lengths)
    func ours(count: Int) throws {
        let keys = try AgeKeyPair.generate(randomness: KeyRandomness())
        try write(keys.identityFile(created: "2026-11-23T15:45:00Z"), to: "identity")
        let content = AgeFile.content(count)
        let file = try AgeFile.encrypted(
            content, to: [AgeTestKey().recipient, .x25519(keys.publicKey)])
        try Data(file).write(to: URL(filePath: folder.file("ours.age")))
        let run = try SystemCommand(
            "age",
            [
                "--decrypt", "--identity", folder.file("identity"),
                "--output", folder.file("content"), folder.file("ours.age"),
            ], withErrors: true)
        try #require(run.exitCode == 0, "\(run.said)")
        // age creates no file for an empty content.
        #expect(try (count == 0 ? [] : read("content")) == content)
    }

    @Test("we decrypt what age encrypts, with an identity file of age-keygen", arguments: lengths)
    func theirs(count: Int) throws {
        let made = try SystemCommand(
            "age-keygen", ["--output", folder.file("identity")], withErrors: true)
        try #require(made.exitCode == 0, "\(made.said)")
        let identities = try AgeIdentity.keys(
            inFile: SecretFile.read(folder.file("identity")))
        guard case .x25519(let keys) = try #require(identities.first) else {
            Issue.record("age-keygen makes X25519 keys")
            return
        }
        let content = AgeFile.content(count)
        try Data(content).write(to: URL(filePath: folder.file("content")))
        let run = try SystemCommand(
            "age",
            [
                "--recipient", AgeTestKey().keys.publicKey.description,
                "--recipient", keys.publicKey.description,
                "--output", folder.file("theirs.age"), folder.file("content"),
            ], withErrors: true)
        try #require(run.exitCode == 0, "\(run.said)")
        #expect(try AgeFile.decrypted(read("theirs.age"), identities) == content)
    }

    @Test("age-keygen finds the recipient that our identity file names")
    func recipient() throws {
        let keys = try AgeKeyPair.generate(randomness: KeyRandomness())
        try write(keys.identityFile(created: "2026-11-23T15:45:00Z"), to: "identity")
        let run = try SystemCommand("age-keygen", ["-y", folder.file("identity")])
        #expect(run.said == "\(keys.publicKey)\n")
    }

    private func write(_ secret: SecretBytes, to name: String) throws {
        try SecretFile.create(folder.file(name), secret)
    }

    private func read(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(filePath: folder.file(name))))
    }
}
