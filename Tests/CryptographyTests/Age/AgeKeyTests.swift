import ServiceRuntime
import TestSupport
import Testing

@testable import Cryptography

@Suite("age keys: their texts, and what is wrong with other texts")
struct AgeKeyTests {
    /// The example of the specification (https://c2sp.org/age): a key of 32 bytes `42`.
    private static let secret =
        "AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX"
    private static let recipient = "age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj"

    @Test("the keys of the specification's example belong together")
    func example() throws {
        let keys = try AgeKeyPair(text: Self.secret.utf8)
        #expect(keys.secretKey == SecretBytes(copying: [UInt8](repeating: 0x42, count: 32)))
        #expect(keys.publicKey.description == Self.recipient)
        #expect(try AgePublicKey(Self.recipient) == keys.publicKey)
    }

    @Test("an identity file is read as it was written, also with comments, empty lines and CRLF")
    func identityFile() throws {
        let keys = try AgeKeyPair.generate(randomness: SeededRandomness(seed: 3))
        let file = keys.identityFile(created: "2026-11-23T15:45:00Z")
        let text = file.withBytes { String(decoding: $0, as: UTF8.self) }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == 4 && lines[3] == "")
        #expect(lines[0] == "# created: 2026-11-23T15:45:00Z")
        #expect(lines[1] == "# public key: \(keys.publicKey)")
        #expect(try publicKeys(text) == [keys.publicKey])
        let many = "\n# a\r\n\(Self.secret)\r\n\n\(lines[2])"
        #expect(try publicKeys(many).map(\.description) == [Self.recipient, "\(keys.publicKey)"])
    }

    @Test(
        "an identity file with another line is refused with the line's number and without its text")
    func identityFileErrors() throws {
        let texts: [(String, String)] = [
            ("", "no line of the file is a secret key, AGE-SECRET-KEY-1…"),
            ("# only a comment\n", "no line of the file is a secret key, AGE-SECRET-KEY-1…"),
            (
                "# a\n\(Self.recipient)\n",
                "line 2: not a secret key, which begins with AGE-SECRET-KEY-1"
            ),
            (
                Self.secret.lowercased(),
                "line 1: not a secret key, which begins with AGE-SECRET-KEY-1"
            ),
            (
                "\(Self.secret)\n\(Self.secret.dropLast())",
                "line 2: not a secret key: its checksum does not fit, so it was mistyped or cut off"
            ),
            (
                "AGE-SECRET-KEY-PQ-1XX76JR",
                "line 1: post-quantum keys are not supported, only X25519"
            ),
            (
                "AGE-PLUGIN-YUBIKEY-1XX76JR",
                "line 1: keys of plugins are not supported, only X25519"
            ),
            (
                "age-encryption.org/v1\n",
                "the identity file is encrypted: decrypt it with age -d first"
            ),
        ]
        for (text, message) in texts {
            let error = #expect(throws: AgeKeyError.self) { try publicKeys(text) }
            #expect(error?.description == message)
        }
    }

    @Test("a text that is no X25519 recipient is refused, and the error says what it is")
    func recipientErrors() {
        let zero = String(
            decoding: Bech32.encode(prefix: "age", [UInt8](repeating: 0, count: 32)),
            as: UTF8.self)
        let short = String(decoding: Bech32.encode(prefix: "age", [1, 2, 3]), as: UTF8.self)
        let texts: [(String, String)] = [
            (Self.secret, "this is a secret key: files are encrypted to its public key, age1…"),
            (
                "ssh-ed25519 AAAA",
                "SSH keys are not supported: use a key that begins with age1"
            ),
            ("", "not an age recipient, which begins with age1"),
            (Self.recipient.uppercased(), "not an age recipient, which begins with age1"),
            (
                "\(Self.recipient) ",
                "not an age recipient: it has a character that is not of the Bech32 alphabet"
            ),
            (
                "age1Zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj",
                "not an age recipient: it has letters of both cases"
            ),
            ("age1zvk", "not an age recipient: it is cut off"),
            (
                // The tagged type of the specification.
                "age1tag1qt8lw0ual6avlwmwatk888yqnmdamm7xfd0wak53ut6elz5c4swx2yqdj4e",
                "recipients of the type age1tag are not supported, only X25519"
            ),
            (short, "an X25519 key has 32 bytes, this has 3"),
            (zero, "a point of low order: everybody could read what is encrypted to it"),
        ]
        for (text, message) in texts {
            let error = #expect(throws: AgeKeyError.self) { try AgePublicKey(text) }
            #expect(error?.description == message)
        }
    }

    @Test("a recipient with any one other character is refused")
    func mistyped() throws {
        let characters = Array(Self.recipient.utf8)
        for place in characters.indices {
            for character in "qpzry9x8gf2tvdw0s3jn54khce6mua7l".utf8
            where character != characters[place] {
                var changed = characters
                changed[place] = character
                let text = String(decoding: changed, as: UTF8.self)
                #expect(throws: AgeKeyError.self) { try AgePublicKey(text) }
            }
        }
    }

    @Test("a secret key is not printed")
    func notPrinted() throws {
        let keys = try AgeKeyPair(text: Self.secret.utf8)
        #expect(!"\(keys)".contains("SECRET"))
        #expect("\(AgeIdentity.passphrase("hush"))".contains("hush") == false)
    }

    private func publicKeys(_ text: String) throws -> [AgePublicKey] {
        try AgeIdentity.keys(inFile: SecretBytes(copying: text.utf8)).compactMap {
            if case .x25519(let keys) = $0 { keys.publicKey } else { nil }
        }
    }
}
