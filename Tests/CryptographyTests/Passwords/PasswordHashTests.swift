import Testing

@testable import Cryptography

@Suite("Password hashes")
struct PasswordHashTests {
    private let standard =
        "$argon2id$v=19$m=19456,t=2,p=1$AAECAwQFBgcICQoLDA0ODw$"
        + "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"

    @Test("Argon2id matches RFC 9106, 5.3")
    func rfc9106() throws {
        let memory = try Argon2.Memory(byteCount: 32 * 1_024)
        let hash = try Argon2.hash(
            Argon2.Input(
                password: SecretBytes(copying: [UInt8](repeating: 1, count: 32)),
                salt: [UInt8](repeating: 2, count: 16), secret: [UInt8](repeating: 3, count: 8),
                associatedData: [UInt8](repeating: 4, count: 12)),
            parameters: Argon2Parameters(memoryKiB: 32, passes: 3, lanes: 4), count: 32,
            in: memory)
        #expect(
            hash == bytes("0d640df58d78766c08c037a34a8b53c9d01ef0452d75b65eb52520e96b01e659"))
    }

    @Test("a hash made by the argon2 command verifies, even if the given memory is too small")
    func reference() throws {
        // printf password | argon2 somesalt -id -t 2 -k 65536 -p 1 (the program's own test).
        let stored = try PasswordHash(
            text: "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8"
                + "ArZWb2GRPPc")
        let memory = try Argon2.Memory(byteCount: 64 * 1_024)
        #expect(try stored.matches(secret(text: "password"), in: memory))
        #expect(try !stored.matches(secret(text: "Password"), in: memory))
        #expect(try !stored.matches(secret(text: ""), in: memory))
    }

    @Test("a hash's text is read and written the same")
    func roundTrip() throws {
        let hash = try PasswordHash(text: standard)
        #expect(hash.text == standard)
        #expect(hash.parameters == .standard)
        #expect(hash.salt == Array(0..<16))
        #expect(hash.hash == Array(0..<32))
    }

    @Test(
        "a text that differs from the format is rejected",
        arguments: [
            ("$argon2id$", "$argon2i$"), ("$argon2id$", "$argon2d$"), ("$argon2id$", "argon2id$"),
            ("$argon2id$", "$$argon2id$"), ("v=19", "v=16"), ("v=19", "v=019"), ("v=19$", ""),
            ("m=19456", "m=019456"), ("m=19456", "m=+19456"), ("m=19456", "m= 19456"),
            ("m=19456", "m=19456 "), ("m=19456", "m=-19456"), ("m=19456", "m="),
            ("m=19456,t=2", "t=2,m=19456"), ("p=1", "p=1,x=1"), ("p=1", "p"), ("p=1", "p=1\0"),
            ("p=1", "p=١"), ("AAECAwQFBgcICQoLDA0ODw$", "$"), ("ODw$", "ODw=$"),
            ("ODw$", "ODx$"), ("Hh8", "Hh9"), ("Hh8", "Hh8$"), ("Hh8", "Hh8\n"), ("Hh8", "Hh-"),
        ])
    func refused(part: String, broken: String) {
        let text = standard.split(separator: part, omittingEmptySubsequences: false)
            .joined(separator: broken)
        #expect(text != standard)
        #expect(throws: PasswordHashError.self) { try PasswordHash(text: text) }
    }

    @Test("parameters above the cost limits or below Argon2's minimum are rejected")
    func costs() {
        let limits = [
            ("m=65536,t=2,p=1", true), ("m=65537,t=2,p=1", false), ("m=4194304,t=2,p=1", false),
            ("m=99999999999999999999,t=2,p=1", false), ("m=8,t=1,p=1", true),
            ("m=7,t=1,p=1", false), ("m=0,t=1,p=1", false), ("m=8,t=0,p=1", false),
            ("m=8,t=16,p=1", true), ("m=8,t=17,p=1", false), ("m=8,t=1,p=0", false),
            ("m=128,t=1,p=16", true), ("m=127,t=1,p=16", false), ("m=136,t=1,p=17", false),
        ]
        for (parameters, isTaken) in limits {
            let text = "$argon2id$v=19$\(parameters)$AAECAwQFBgcICQoLDA0ODw$AAECAwQFBgcICQoLDA0ODw"
            #expect(((try? PasswordHash(text: text)) != nil) == isTaken, "\(parameters)")
        }
    }

    @Test("salt, hash and the whole text have length limits")
    func lengths() {
        func text(_ salt: Int, _ hash: Int) -> String {
            PasswordHash(
                parameters: .standard, salt: [UInt8](repeating: 0, count: salt),
                hash: [UInt8](repeating: 0, count: hash)
            ).text
        }
        let limits = [
            (8, 16, true), (7, 16, false), (8, 15, false), (64, 64, true), (65, 64, false),
            (64, 65, false),
        ]
        for (salt, hash, isTaken) in limits {
            #expect(((try? PasswordHash(text: text(salt, hash))) != nil) == isTaken)
        }
        #expect(throws: PasswordHashError.self) {
            try PasswordHash(text: standard + String(repeating: "A", count: 300))
        }
    }

    @Test("I-03: weaker hashes need an upgrade, equal and stronger ones do not")
    func upgrade() throws {
        func needs(_ parameters: String) throws -> Bool {
            let parts = standard.split(separator: "m=19456,t=2,p=1")
            return try PasswordHash(text: parts.joined(separator: parameters))
                .needsUpgrade(to: .standard)
        }
        #expect(try !needs("m=19456,t=2,p=1"))
        #expect(try !needs("m=65536,t=3,p=4"))
        #expect(try needs("m=19455,t=2,p=1"))
        #expect(try needs("m=65536,t=1,p=1"))
        let short =
            "$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"
        #expect(try PasswordHash(text: short).needsUpgrade(to: .standard), "a salt of 8 bytes")
    }
}
