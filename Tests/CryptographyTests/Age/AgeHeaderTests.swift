import ServiceRuntime
import TestSupport
import Testing

@testable import Cryptography

/// The kinds of hostile headers are those of the public test suite (https://c2sp.org/CCTV/age).
@Suite("age headers: one form only")
struct AgeHeaderTests {
    private static let malformedStanza = AgeFileError.Reason.malformedHeader(
        "the recipient has not the form of its type")
    private static let notBase64 = AgeFileError.Reason.malformedHeader("not canonical Base64")

    private let key: AgeTestKey
    private let fileKey: SecretBytes
    private let random = SeededRandomness(seed: 5)
    private let passphrase: SecretBytes = "correct horse"
    /// The lines of an intact stanza for `key`, and of one for `passphrase`.
    private let x25519: [String]
    private let scrypt: [String]

    init() throws {
        key = try AgeTestKey()
        fileKey = .generate(count: AgeStanza.fileKeyBytes, randomness: random)
        x25519 = try AgeStanza.text(
            wrapping: fileKey, for: key.keys.publicKey, randomness: random
        ).split(separator: "\n").map(String.init)
        scrypt = try AgeStanza.text(
            wrapping: fileKey, with: passphrase, workFactor: 4, randomness: random
        ).split(separator: "\n").map(String.init)
    }

    @Test("stanzas of unknown types are skipped, whatever their arguments and body")
    func unknownTypes() throws {
        let line = String(repeating: "A", count: 64)
        let others = [
            ["-> grease", ""], ["-> a ! ~ \"#", "QUJD"], ["-> long", line, line, ""],
            ["-> x25519 abc", "AA"], ["-> Scrypt 1 2", line, "QUJD"],
        ]
        #expect(try error(others + [x25519]) == nil)
        #expect(try error([x25519] + others) == nil)
        #expect(try error(others) == AgeFileError(22, .wrongKey))
    }

    @Test("an X25519 stanza has one share and one wrapped key, both in canonical Base64")
    func x25519Form() throws {
        let share = x25519[0].dropFirst("-> X25519 ".count)
        let body = x25519[1]
        let arguments = [
            "X25519", "X25519 \(share) x", "X25519 \(share)=", "X25519 \(share.dropLast())",
            "X25519 \(share)A", "X25519 \(notCanonical(share))",
        ]
        for argument in arguments {
            #expect(
                try error([["-> \(argument)", body]]) == AgeFileError(22, Self.malformedStanza),
                "\(argument)")
        }
        let long = Base64.encodeUnpadded(AgeFile.content(33))
        for body in [long, ""] {
            #expect(
                try error([[x25519[0], body]]) == AgeFileError(22, Self.malformedStanza), "\(body)")
        }
        let bodyPlace = 22 + x25519[0].utf8.count + 1
        for body in ["\(body)=", notCanonical(body[...]), "\(body) ", "\(body)\r", "A\(body)A"] {
            #expect(
                try error([[x25519[0], body]]) == AgeFileError(bodyPlace, Self.notBase64), "\(body)"
            )
        }
    }

    @Test("a share of low order is refused: its secret is zeros for every key")
    func lowOrder() throws {
        for first: UInt8 in [0, 1] {
            let share = Base64.encodeUnpadded([first] + [UInt8](repeating: 0, count: 31))
            let found = try error([["-> X25519 \(share)", x25519[1]]])
            #expect(found == AgeFileError(22, .malformedHeader("a share of low order")))
        }
    }

    @Test("arguments are separated by one space and have visible ASCII characters only")
    func arguments() throws {
        for line in ["-> ", "->  x", "-> x ", "-> x  y", "-> x\ty", "-> é", "-> x\r", "-> \u{7F}"] {
            let found = try error([x25519, [line, ""]])
            #expect(found?.offset == 22 + size(x25519), "\(line)")
        }
        for line in ["->x", "=> x", " -> x", "", "-- x"] {
            let found = try error([x25519, [line, ""]])
            #expect(found?.offset == 22 + size(x25519), "\(line)")
        }
    }

    @Test("the body of a stanza ends with a line of less than 64 characters, which may be empty")
    func bodyLines() throws {
        let line = String(repeating: "A", count: 64)
        for body in [[line], ["\(line)A", ""], ["AA", "AA"]] {
            #expect(try error([x25519, ["-> other"] + body]) != nil, "\(body)")
        }
        #expect(try error([x25519, ["-> other", line, ""]]) == nil)
    }

    @Test("a passphrase with any other recipient is refused: anybody could be the sender")
    func passphraseAlone() throws {
        let both = AgeFileError(
            22, .malformedHeader("a passphrase is not the only recipient"))
        for stanzas in [
            [scrypt, x25519], [x25519, scrypt], [scrypt, scrypt], [scrypt, ["-> x", ""]],
        ] {
            #expect(try error(stanzas) == both)
        }
        #expect(try error([scrypt]) == nil)
    }

    @Test("a work factor is a plain decimal number, and above 20 no memory is taken for it")
    func workFactors() throws {
        let salt = scrypt[0].split(separator: " ")[2]
        for factor in [
            "04", "+4", "-4", "0", "0x4", "4x", "4.0", "", "4 ", "99999999999999999999",
        ] {
            let found = try error([["-> scrypt \(salt) \(factor)", scrypt[1]]])
            #expect(found?.offset == 22, "\(factor)")
        }
        for factor in [21, 23, 63, 64, Int.max] {
            let found = try error([["-> scrypt \(salt) \(factor)", scrypt[1]]])
            #expect(found == AgeFileError(22, .workFactor(factor)))
        }
        #expect(
            try error([["-> scrypt \(salt) 5", scrypt[1]]]) == AgeFileError(22, .wrongPassphrase))
    }

    @Test("an scrypt stanza has a salt of 16 bytes and a wrapped key of 32")
    func scryptForm() throws {
        let salt = scrypt[0].split(separator: " ")[2]
        for line in [
            "-> scrypt \(salt)", "-> scrypt \(salt) 4 x", "-> scrypt \(salt)AA 4",
            "-> scrypt \(salt.dropLast(2)) 4", "-> scrypt \(notCanonical(salt)) 4",
            "-> scrypt \(salt)== 4",
        ] {
            #expect(
                try error([[line, scrypt[1]]]) == AgeFileError(22, Self.malformedStanza), "\(line)")
        }
        // A longer body could be opened by two passphrases.
        let long = Base64.encodeUnpadded(AgeFile.content(33))
        #expect(try error([[scrypt[0], long]]) == AgeFileError(22, Self.malformedStanza))
    }

    @Test("the last line is the header's MAC in canonical Base64, and nothing else")
    func lastLine() throws {
        let header = AgeHeader.text([text(x25519)], fileKey: fileKey)
        let place = header.count - 48
        let code = String(decoding: header.suffix(44).dropLast(), as: UTF8.self)
        let start = header.prefix(place)
        for line in [
            "---\(code)", "---  \(code)", "--- \(code) ", "--- \(code)\r", "--- \(code)=",
            "--- \(notCanonical(code[...]))", "--- \(code.dropLast())", "---", "--- ", "--",
        ] {
            let read = try AgeFile.read(Array(start) + Array("\(line)\n".utf8), [key.identity])
            #expect(
                read.error
                    == AgeFileError(place, .malformedHeader("neither a recipient nor its end")),
                "\(line)")
        }
        let other = Base64.encodeUnpadded([UInt8](repeating: 0, count: 32))
        let read = try AgeFile.read(Array(start) + Array("--- \(other)\n".utf8), [key.identity])
        #expect(read.error == AgeFileError(place, .headerNotAuthentic))
    }

    @Test("a header to which a recipient was added without the file's key is refused")
    func addedRecipient() throws {
        let header = String(
            decoding: AgeHeader.text([text(x25519)], fileKey: fileKey), as: UTF8.self)
        let changed = header.replacing("\n-> X25519", with: "\n-> other\n\n-> X25519")
        let read = try AgeFile.read(Array(changed.utf8), [key.identity])
        #expect(read.error?.reason == .headerNotAuthentic)
    }

    @Test("a header without recipients, and one that does not end, are refused")
    func bounds() throws {
        #expect(try error([])?.offset == 22)
        let endless = "age-encryption.org/v1\n" + String(repeating: "-> x\nAA\n", count: 10_000)
        let long = "age-encryption.org/v1\n-> " + String(repeating: "x", count: 100_000)
        for text in [endless, long] {
            let read = try AgeFile.read(Array(text.utf8), [key.identity])
            let found = try #require(read.error)
            #expect(found.reason == .malformedHeader("it has no end within 64 KiB"))
            #expect(found.offset <= AgeInput.headerBytesMax)
        }
    }

    @Test("other files are refused at their first byte, and the error says what they are")
    func otherFiles() throws {
        let files: [(String, AgeFileError.Reason)] = [
            ("", .truncated), ("age-encryption.org/", .truncated),
            ("SQLite format 3\0 and 22 more bytes", .notAgeFile), ("x", .notAgeFile),
            ("AGE-ENCRYPTION.ORG/V1\n", .notAgeFile),
            (
                "age-encryption.org/v2\n",
                .malformedHeader("another version than age-encryption.org/v1")
            ),
            (
                "age-encryption.org/v1\r\n",
                .malformedHeader("another version than age-encryption.org/v1")
            ),
            (
                "-----BEGIN AGE ENCRYPTED FILE-----\n",
                .malformedHeader("the file is in ASCII armor")
            ),
        ]
        for (text, reason) in files {
            let read = try AgeFile.read(Array(text.utf8), [key.identity])
            #expect(read.error == AgeFileError(0, reason), "\(text)")
        }
    }

    @Test("an error names the place and says what is wrong")
    func texts() {
        #expect(
            AgeFileError(22, .workFactor(30)).description
                == "at byte 22: the passphrase's work factor is 30, above the limit of 20, "
                + "with which scrypt takes 1 GiB of memory")
        #expect(AgeFileError(7, .truncated).description == "at byte 7: the file is cut off")
    }

    /// The error of reading a file of these stanzas, each given by its lines, whose MAC is right.
    private func error(_ stanzas: [[String]]) throws -> AgeFileError? {
        let header = AgeHeader.text(stanzas.map(text), fileKey: fileKey)
        let nonce = random.bytes(AgePayload.nonceBytes)
        let chunk = try AgePayload(fileKey: fileKey, nonce: nonce).seal([1], isLast: true)
        return try AgeFile.read(
            header + nonce + chunk, [key.identity, .passphrase(passphrase)]
        ).error
    }

    private func text(_ lines: [String]) -> String {
        lines.map { "\($0)\n" }.joined()
    }

    private func size(_ lines: [String]) -> Int { text(lines).utf8.count }

    /// The same Base64 with an unused bit set: the next character of the alphabet at its end.
    private func notCanonical(_ text: Substring) -> String {
        let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
        let next = text.last.flatMap { alphabet.firstIndex(of: $0) }
            .map { alphabet[alphabet.index(after: $0)] }
        return text.dropLast() + String(next ?? "A")
    }
}
