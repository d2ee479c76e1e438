import Cryptography
import Glibc
import ServiceRuntime
import TestSupport
import Testing

@testable import NotificationService

@Suite("DKIM signatures")
struct DKIMSignerTests {
    @Test(
        "RFC 8463, appendix A: both signatures of the example verify, and fail if a word changes")
    func example() throws {
        let verifier = DKIMVerifier(keys: [
            "brisbane": .ed25519(try .init(bytes: bytes(DKIMVectors.ed25519))),
            "test": .rsa(try .init(publicDER: bytes(DKIMVectors.rsa))),
        ])
        #expect(verifier.verdicts(DKIMVectors.mail) == ["brisbane": true, "test": true])
        let changed = DKIMVectors.mail.replacing("hungry", with: "thirsty")
        #expect(verifier.verdicts(changed) == ["brisbane": false, "test": false])
        let header = DKIMVectors.mail.replacing("dinner ready", with: "lunch ready")
        #expect(verifier.verdicts(header) == ["brisbane": false, "test": false])
    }

    @Test("RFC 8463, A.1: the example's seed gives the public key of its DNS record")
    func record() throws {
        let key = try ed25519Key()
        let record = DKIMRecord(key, domain: "football.example.com")
        #expect(record.name == "brisbane._domainkey.football.example.com")
        #expect(record.text == "v=DKIM1; k=ed25519; p=\(DKIMVectors.ed25519)")
    }

    @Test("a mail gets both signatures; they verify and are the same each time")
    func ours() throws {
        let (signer, verifier) = try both()
        let mail = try mail()
        let signed = try mail.bytes(signedBy: signer)
        #expect(try mail.bytes(signedBy: signer) == signed)
        let text = String(decoding: signed, as: UTF8.self)
        #expect(verifier.verdicts(text) == ["brisbane": true, "postern": true])
        #expect(text.hasSuffix(String(decoding: mail.bytes.suffix(200), as: UTF8.self)))
    }

    @Test(
        "folding and trimming keep a signature valid; changing, adding or removing text does not",
        arguments: [
            ("Subject: Confirm", "Subject:   Confirm", true),
            ("To: ada@example.com\r\n", "to: ada@example.com \r\n", true),
            ("Subject: Confirm", "Subject: Cancel", false),
            ("Subject: ", "Subject: free money\r\nSubject: ", false),
            ("From: ", "From: Eve <eve@evil.example>\r\nFrom: ", false),
            ("To: ", "Reply-To: eve@evil.example\r\nTo: ", false),
            ("To: ", "Cc: eve@evil.example\r\nTo: ", false),
            ("Date: ", "Message-ID: <2@evil.example>\r\nDate: ", false),
            ("multipart/alternative", "multipart/mixed", false),
            ("auto-generated", "no", false), ("OOF, AutoReply", "None", false),
            ("--\r\n", "--\r\nmore text\r\n", false), ("--\r\n", "--\r\n\r\n\r\n", true),
        ])
    func changed(_ part: String, _ other: String, _ isGood: Bool) throws {
        let (signer, verifier) = try both()
        let text = String(decoding: try mail().bytes(signedBy: signer), as: UTF8.self)
        let range = try #require(
            part == "--\r\n" ? text.ranges(of: part).last : text.firstRange(of: part))
        let changed = text[..<range.lowerBound] + other + text[range.upperBound...]
        #expect(verifier.verdicts(String(changed)) == ["brisbane": isGood, "postern": isGood])
    }

    @Test("RFC 8301: an RSA key of fewer than 2,048 bits is rejected")
    func shortKey() throws {
        #expect(throws: CryptographyError.self) {
            try RSASigningKey(der: SecretBytes(copying: Hex.decode(RSAVectors.shortDER.utf8) ?? []))
        }
    }

    @Test("no line of a signed mail is longer than 78 bytes, addresses excepted")
    func lines() throws {
        let (signer, _) = try both()
        let signed = try mail().bytes(signedBy: signer)
        for line in signed.split(separator: 10) { #expect(line.count <= 79) }
    }

    // MARK: keys and a mail

    private func both() throws -> (signer: DKIMSigner, verifier: DKIMVerifier) {
        let folder = try TemporaryFolder()
        let path = try folder.write(RSAVectors.pem, to: "rsa.pem")
        _ = chmod(path, 0o600)
        let rsa = try RSASigningKey(file: path)
        let signer = DKIMSigner(
            domain: "example.org",
            keys: [try #require(DKIMKey(selector: "postern", .rsa(rsa))), try ed25519Key()])
        let verifier = DKIMVerifier(keys: [
            "brisbane": .ed25519(try .init(bytes: bytes(DKIMVectors.ed25519))),
            "postern": .rsa(try .init(publicDER: rsa.publicDER)),
        ])
        return (signer, verifier)
    }

    private func ed25519Key() throws -> DKIMKey {
        let seed = SecretBytes(copying: bytes(DKIMVectors.ed25519Seed))
        return try #require(DKIMKey(selector: "brisbane", .ed25519(.init(seed: seed))))
    }

    private func bytes(_ base64: String) -> [UInt8] { Base64.decode(Array(base64.utf8)) ?? [] }

    private func mail() throws -> MailMessage {
        MailMessage(
            id: try #require(MessageID(key: 7)), date: Timestamp(milliseconds: 1_767_225_600_000),
            sender: try #require(Mailbox(name: "Postern", address: "no-reply@example.org")),
            recipient: try #require(MailAddress("ada@example.com")),
            content: MailContent(
                language: "en", subject: try #require(HeaderText("Confirm your email")),
                text: "Hello  Ada \n\n\nyours\n", html: "<p>Hello</p>\n"))
    }
}
