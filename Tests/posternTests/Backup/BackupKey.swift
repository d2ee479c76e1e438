import Cryptography
import Glibc
import TestSupport

@testable import postern

/// A key pair that opens a test's backups.
struct BackupKey {
    /// Its identity file.
    let identity: String
    /// Its public half.
    let recipient: String

    init(in folder: TemporaryFolder, _ name: String = "backup-key.txt") throws {
        identity = folder.file(name)
        let key = try AgeProgram.newKey(named: identity)
        try SecretFile.create(identity, key.identity)
        recipient = key.recipient
    }

    /// What `postern backup` makes of an archive.
    func encrypted(_ archive: [UInt8]) throws -> [UInt8] {
        let process = try AgeProgram.installed.encrypting(to: [recipient], named: "archive")
        return try process.write(archive) + process.finish()
    }

    /// The content of a file, by `age`.
    func opened(_ path: String) throws -> [UInt8] {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        defer { close(file) }
        let process = try AgeProgram.installed.opening(file, named: path, identity: identity)
        var content: [UInt8] = []
        while let part = try process.read() { content += part }
        return content
    }
}
