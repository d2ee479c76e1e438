import Testing

@testable import Cryptography

@Suite("Hashes: test vectors of their standards")
struct HashVectorTests {
    @Test("SHA-256 matches the examples of FIPS 180-2, whole and in parts")
    func sha256() {
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        #expect(Hex.encode(SHA256.hash("abc".utf8)) == abc)
        #expect(
            Hex.encode(SHA256.hash([]))
                == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
        var parts = SHA256()
        parts.update("a".utf8)
        parts.update([])
        parts.update("bc".utf8)
        #expect(Hex.encode(parts.finish()) == abc)
    }

    @Test(
        "SHA-1 matches the examples of FIPS 180-2",
        arguments: [
            ("", "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
            ("abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "84983e441c3bd26ebaae4aa1f95129e5e54670f1"
            ),
        ])
    func sha1(message: String, hash: String) {
        #expect(SHA1.hash(SecretBytes(message)) == secret(hash))
    }

    /// Key, message and hash: RFC 4231's cases 1 to 4, 6 and 7 (case 5 truncates its output).
    private static let hmacVectors: [(String, String, String)] = [
        (
            String(repeating: "0b", count: 20), "4869205468657265",
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        ),
        (
            "4a656665", "7768617420646f2079612077616e7420666f72206e6f7468696e673f",
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        (
            String(repeating: "aa", count: 20), String(repeating: "dd", count: 50),
            "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
        ),
        (
            "0102030405060708090a0b0c0d0e0f10111213141516171819",
            String(repeating: "cd", count: 50),
            "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"
        ),
        (
            String(repeating: "aa", count: 131),
            Hex.encode("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        ),
        (
            String(repeating: "aa", count: 131),
            Hex.encode(
                ("This is a test using a larger than block-size key and a larger than block-size "
                    + "data. The key needs to be hashed before being used by the HMAC algorithm.")
                    .utf8),
            "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"
        ),
    ]

    @Test("HMAC-SHA-256 matches the vectors of RFC 4231", arguments: hmacVectors)
    func hmac(key: String, message: String, hash: String) {
        let keyed = KeyedHash(key: secret(key))
        #expect(Hex.encode(keyed.hash(bytes(message))) == hash)
        // The stored state starts again for each message.
        #expect(Hex.encode(keyed.hash(bytes(message))) == hash)
        #expect(keyed.verifies(bytes(hash), of: bytes(message)))
        #expect(keyed.lookUpKey(bytes(message)) == Array(bytes(hash).prefix(16)))
    }

    @Test("HMAC-SHA-256 follows RFC 2104 for messages of any length, also across blocks")
    func hmacOfAnyLength() {
        let key = [UInt8](1...32)
        let keyed = KeyedHash(key: SecretBytes(copying: key))
        func padded(_ mask: UInt8) -> [UInt8] {
            (0..<64).map { ($0 < key.count ? key[$0] : 0) ^ mask }
        }
        for length in 0...200 {
            let message = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 37) }
            let hash = SHA256.hash(padded(0x5c) + SHA256.hash(padded(0x36) + message))
            #expect(keyed.hash(message) == hash, "\(length) bytes")
            let numbers = message.withUnsafeBytes { keyed.lookUpNumbers(of: $0) }
            let first = withUnsafeBytes(of: numbers.first.bigEndian) { Array($0) }
            let second = withUnsafeBytes(of: numbers.second.bigEndian) { Array($0) }
            #expect(first + second == keyed.lookUpKey(message), "\(length) bytes")
        }
    }

    @Test("HKDF-SHA-256 matches RFC 5869, A.1 and A.3")
    func hkdf() {
        let material = secret(String(repeating: "0b", count: 22))
        let first = KeyDerivation.derive(
            from: material, salt: bytes("000102030405060708090a0b0c"),
            info: bytes("f0f1f2f3f4f5f6f7f8f9"), count: 42)
        #expect(
            first
                == secret(
                    "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"
                ))
        let third = KeyDerivation.derive(from: material, salt: [], info: [], count: 42)
        #expect(
            third
                == secret(
                    "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"
                ))
    }

    @Test("HKDF-SHA-256 matches RFC 5869, A.2, with long inputs")
    func hkdfLong() {
        func run(_ range: ClosedRange<UInt8>) -> [UInt8] { Array(range) }
        let key = KeyDerivation.derive(
            from: SecretBytes(copying: run(0x00...0x4f)), salt: run(0x60...0xaf),
            info: run(0xb0...0xff), count: 82)
        let expected = secret(
            """
            b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c
            59045a99cac7827271cb41c65e590e09da3275600c2f09b8367793a9aca3db71
            cc30c58179ec3e87c14c01d5c1f3434f1d87
            """)
        #expect(key == expected)
    }
}
