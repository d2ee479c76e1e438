import MetricsTestKit
import ServiceRuntime
import Testing

@testable import Cryptography

@Suite("Password hashes of other systems")
struct ForeignHashTests {
    private func memory() throws -> Argon2.Memory { try Argon2.Memory(byteCount: 64 << 10) }

    @Test("I-03: Firebase's published vector verifies, and no changed password or key does")
    func firebase() throws {
        typealias Vector = ForeignHashVectors.Firebase
        func project(_ key: String, _ separator: String) throws -> FirebaseProject {
            try FirebaseProject(
                signerKey: SecretBytes(copying: #require(Base64.decode(key.utf8))),
                saltSeparator: #require(Base64.decode(separator.utf8)))
        }
        let right = try project(Vector.signerKey, Vector.separator)
        let stored = try StoredPassword(text: Vector.text)
        #expect(stored.text == Vector.text)
        #expect(stored.firebaseProject == 1)
        #expect(stored.hashBytes == 64)
        func matches(_ password: String, _ project: FirebaseProject?) throws -> Bool {
            try stored.matches(secret(text: password), of: project, in: memory())
        }
        #expect(try matches(Vector.password, right))
        #expect(try !matches("user1passwore", right))
        #expect(try !matches("", right))
        #expect(try !matches(Vector.password, project(Vector.signerKey, "CA==")))
        let other = Vector.signerKey.replacing("jxspr8", with: "kxspr8")
        #expect(try !matches(Vector.password, project(other, Vector.separator)))
        #expect(throws: PasswordHashError.projectMissing) { try matches(Vector.password, nil) }
    }

    @Test("I-03: hashes of each algorithm made by other implementations verify")
    func vectors() throws {
        for (text, password) in ForeignHashVectors.all {
            let stored = try StoredPassword(text: text)
            #expect(try StoredPassword(text: stored.text) == stored)
            #expect(
                try stored.matches(secret(text: password), of: nil, in: memory()), "\(text)")
            #expect(
                try !stored.matches(secret(text: password + "x"), of: nil, in: memory()), "\(text)")
            #expect(try !stored.matches(secret(text: ""), of: nil, in: memory()))
            #expect(stored.needsUpgrade(to: .standard))
        }
    }

    @Test("Argon2d and Argon2i match RFC 9106, 5.1 and 5.2")
    func rfc9106() throws {
        let tags: [(Argon2.Kind, String)] = [
            (.d, "512b391b6f1162975371d30919734294f868e3be3984f3c1a13a4db9fabe4acb"),
            (.i, "c814d9d1dc7f37aa13f0d77f2494bda1c8de6b016dd388d29952a4c4672b6ce8"),
        ]
        for (kind, tag) in tags {
            var input = Argon2.Input(
                password: SecretBytes(copying: [UInt8](repeating: 1, count: 32)),
                salt: [UInt8](repeating: 2, count: 16), secret: [UInt8](repeating: 3, count: 8),
                associatedData: [UInt8](repeating: 4, count: 12))
            input.kind = kind
            let found = try Argon2.hash(
                input, parameters: Argon2Parameters(memoryKiB: 32, passes: 3, lanes: 4), count: 32,
                in: memory())
            #expect(found == bytes(tag))
        }
    }

    @Test("bcrypt uses 72 bytes of a password, and a NUL does not end one")
    func bcryptLengths() throws {
        let stored = try StoredPassword(
            text: "$2b$04$abcdefghijklmnopqrstuuBzzIgyKkz7xMWYSzkIjUSnxEQFQ0WNe")
        func matches(_ password: String) throws -> Bool {
            try stored.matches(secret(text: password), of: nil, in: memory())
        }
        let full = String(repeating: "a", count: 72)
        #expect(try matches(full))
        #expect(try matches(full + "b"))
        #expect(try matches(full + String(repeating: "b", count: 952)))
        #expect(try !matches(String(repeating: "a", count: 71)))
        #expect(try !matches(full + "\0"))
        #expect(try !matches("\0" + full))
    }

    @Test("a hostile or broken hash text is rejected before any costly work", arguments: hostile)
    func refused(text: String, reason: PasswordHashError) {
        #expect(throws: reason) { try StoredPassword(text: text) }
    }

    @Test("the parameters that other systems recommend are accepted")
    func taken() throws {
        for text in [
            "$scrypt$ln=17,r=8,p=1\(ends)", "$scrypt$ln=14,r=8,p=5\(ends)",
            "$pbkdf2-sha1$i=1300000\(ends)", "$pbkdf2-sha256$i=600000\(ends)",
            "$pbkdf2-sha512$i=210000\(ends)", "$2y$14$\(tail)",
            "$argon2id$v=19$m=65536,t=3,p=4\(ends)", "$argon2id$v=19$m=131072,t=4,p=8\(ends)",
            "$argon2i$v=19$m=4096,t=192,p=1\(ends)",
        ] {
            #expect(try StoredPassword(text: text).microseconds < 1_100_000, "\(text)")
        }
    }

    @Test("X-02: a foreign hash has a scheme by its cost, and our own parameters have none")
    func schemes() throws {
        let schemes: [(String, String)] = [
            ("$2a$12$\(tail)", "$2b$12"), ("$2y$04$\(tail)", "$2b$04"),
            ("$scrypt$ln=14,r=8,p=1\(ends)", "$scrypt$ln=14,r=8,p=1"),
            ("$pbkdf2-sha256$i=600000\(ends)", "$pbkdf2-sha256$i=655360"),
            ("$pbkdf2-sha256$i=655360\(ends)", "$pbkdf2-sha256$i=655360"),
            ("$pbkdf2-sha1$i=1000$AAAA$\(long)", "$pbkdf2-sha1$i=4096"),
            ("$pbkdf2-sha256$i=2750000\(ends)", "$pbkdf2-sha256$i=2750000"),
            ("$firebase-scrypt$m=14,r=8$k=9$AAAA$\(long)", "$firebase-scrypt$m=14,r=8"),
            ("$argon2id$v=19$m=65536,t=3,p=4\(ends)", "$argon2id$v=19$m=65536,t=3,p=4"),
            ("$argon2d$v=16$m=64,t=3,p=4\(ends)", "$argon2d$v=16$m=64,t=3,p=4"),
        ]
        for (text, name) in schemes {
            let scheme = try #require(try StoredPassword(text: text).scheme(besides: .standard))
            #expect(scheme.name == name)
            #expect(try PasswordScheme(name: name) == scheme)
        }
        let own = try StoredPassword(text: "$argon2id$v=19$m=19456,t=2,p=1\(ends)")
        #expect(try own.scheme(besides: .standard) == nil)
        #expect(throws: PasswordHashError.self) { try PasswordScheme(name: "$2b$15") }
    }

    @Test("X-02: the pool measures how long a scheme takes")
    func measured() async throws {
        let pool = try PasswordHashPool(
            settings: PasswordHashPool.Settings(threads: 1), time: SystemTime(),
            randomness: SecureRandomness(), metrics: TestMetrics())
        let cheap = try await pool.measure(PasswordScheme(name: "$2b$04"))
        let costly = try await pool.measure(PasswordScheme(name: "$2b$09"))
        #expect(cheap > .zero && costly > cheap * 4)
        for name in ["$firebase-scrypt$m=4,r=8", "$pbkdf2-sha1$i=8", "$argon2d$v=16$m=8,t=1,p=1"] {
            #expect(try await pool.measure(PasswordScheme(name: name)) > .zero)
        }
    }
}

/// Salt and hash of a bcrypt text.
private let tail = String(repeating: "a", count: 21) + "u" + String(repeating: "b", count: 31)
/// A salt of 16 bytes and a hash of 16.
private let ends = "$AAECAwQFBgcICQoLDA0ODw$AAECAwQFBgcICQoLDA0ODw"
/// 15 bytes.
private let short = "AAECAwQFBgcICQoLDA0O"
/// 64 bytes.
private let long = String(repeating: "AAAA", count: 21) + "AA"

private let hostile: [(String, PasswordHashError)] = [
    ("", .unknownAlgorithm), ("secret", .malformed),
    ("$md5$c2FsdA$c2FsdA", .unknownAlgorithm), ("$1$abc$def", .unknownAlgorithm),
    ("$2x$05$\(tail)", .unknownAlgorithm), ("$2b$03$\(tail)", .malformed),
    ("$2b$15$\(tail)", .tooCostly), ("$2b$31$\(tail)", .tooCostly),
    ("$2b$5$\(tail)", .malformed), ("$2b$+5$\(tail)", .malformed),
    ("$2b$05$\(tail).", .malformed), ("$2b$05$\(tail.dropLast())=", .malformed),
    ("$2b$05$\(tail.dropLast())\0", .malformed),
    ("$scrypt$ln=18,r=8,p=1\(ends)", .tooCostly),
    ("$scrypt$ln=17,r=8,p=3\(ends)", .tooCostly),
    ("$scrypt$ln=63,r=8,p=1\(ends)", .tooCostly),
    ("$scrypt$ln=1,r=1073741823,p=1\(ends)", .tooCostly),
    ("$scrypt$ln=0,r=8,p=1\(ends)", .malformed),
    ("$scrypt$ln=14,r=0,p=1\(ends)", .malformed),
    ("$scrypt$ln=14,r=8,p=-1\(ends)", .malformed),
    ("$scrypt$ln=014,r=8,p=1\(ends)", .malformed),
    ("$scrypt$r=8,ln=14,p=1\(ends)", .malformed),
    ("$scrypt$ln=99999999999999999999,r=8,p=1\(ends)", .malformed),
    ("$scrypt$ln=14,r=8,p=1$$\(short)", .badLength),
    ("$scrypt$ln=14,r=8,p=1$AAAA$AAAA=", .malformed),
    ("$pbkdf2-sha1$i=0\(ends)", .malformed),
    ("$pbkdf2-sha256$i=2750001\(ends)", .tooCostly),
    ("$pbkdf2-sha1$i=2000000$AAAA$\(long)", .tooCostly),
    ("$pbkdf2-sha224$i=1000\(ends)", .unknownAlgorithm),
    ("$argon2i$v=19$m=131073,t=1,p=1\(ends)", .tooCostly),
    ("$argon2i$v=19$m=131072,t=15,p=1\(ends)", .tooCostly),
    ("$argon2d$v=19$m=7,t=1,p=1\(ends)", .malformed),
    ("$argon2d$v=17$m=64,t=1,p=1\(ends)", .malformed),
    ("$argon2id$v=19$m=4294967296,t=1,p=1\(ends)", .tooCostly),
    ("$firebase-scrypt$m=18,r=8$k=1\(ends)", .tooCostly),
    ("$firebase-scrypt$m=14,r=8$k=0$AAAA$\(long)", .malformed),
    ("$firebase-scrypt$m=14,r=8$k=1$AAAA$\(short)", .badLength),
    ("$scrypt$ln=14,r=8,p=1$\(long)\(long)\(long)\(long)\(long)", .malformed),
]
