import ArgumentParser
import Cryptography
import Glibc
import TestSupport
import Testing

@testable import postern

@Suite("postern mail dns")
struct MailDNSCommandTests {
    @Test("the DNS record of a key is printed as a zone file's line")
    func record() throws {
        let folder = try TemporaryFolder()
        let seed = Hex.encode([UInt8](repeating: 7, count: 32))
        let path = try folder.write(seed, to: "key")
        _ = chmod(path, 0o600)
        let command = try MailCommand.DNS.parse([
            "--domain", "example.org", "--ed25519-key", path,
        ])
        let seedBytes = SecretBytes(copying: [UInt8](repeating: 7, count: 32))
        let key = try Ed25519SigningKey(seed: seedBytes).verifyingKey.bytes
        let text = "v=DKIM1; k=ed25519; p=\(Base64.encode(key))"
        #expect(
            try command.lines().first
                == "postern-ed25519._domainkey.example.org. IN TXT ( \"\(text)\" )")
    }

    @Test("without a key the command fails")
    func nothing() {
        #expect(throws: (any Error).self) {
            try MailCommand.DNS.parse(["--domain", "example.org"])
        }
    }
}
