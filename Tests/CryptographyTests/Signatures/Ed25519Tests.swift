import Cryptography
import Glibc
import ServiceRuntime
import Testing

@Suite("Ed25519")
struct Ed25519Tests {
    /// RFC 8032, section 7.1: TEST 1, 2, 3 and SHA(abc): seed, public key, message, signature.
    private static let vectors: [[String]] = [
        [
            "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
            "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
            "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e"
                + "39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
        ],
        [
            "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
            "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f"
                + "3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
        ],
        [
            "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
            "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", "af82",
            "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67"
                + "f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
        ],
        [
            "833fe62409237b9d62ec77587520911e9a759cec1d19755b7da901b96dca3d42",
            "ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf",
            "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba"
                + "3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
            "dc2a4459e7369633a52b1bf277839a00201009a3efbf3ecb69bea2186c26b58909351fc9ac90b3ecfdfb"
                + "c7c66431e0303dca179c138ac17ad9bef1177331a704",
        ],
    ]

    private static func bytes(_ hex: String) throws -> [UInt8] {
        try #require(Hex.decode(Array(hex.utf8)))
    }

    @Test("RFC 8032, 7.1: the vectors are signed and verified", arguments: vectors)
    func rfc8032(vector: [String]) throws {
        let parts = try vector.map(Self.bytes)
        let key = try Ed25519SigningKey(seed: SecretBytes(copying: parts[0]))
        #expect(key.verifyingKey.bytes == parts[1])
        #expect(try key.sign(parts[2]) == parts[3])
        #expect(key.verifyingKey.verifies(parts[3], of: parts[2]))
    }

    @Test("a changed message, signature or key does not verify")
    func changed() throws {
        let parts = try Self.vectors[2].map(Self.bytes)
        let key = try Ed25519VerifyingKey(bytes: parts[1])
        for index in parts[3].indices {
            var signature = parts[3]
            signature[index] ^= 1
            #expect(!key.verifies(signature, of: parts[2]), "byte \(index)")
        }
        #expect(!key.verifies(parts[3], of: [0xAF, 0x83]))
        #expect(!key.verifies(parts[3].dropLast(), of: parts[2]))
        #expect(!key.verifies(parts[3] + [0], of: parts[2]))
        #expect(!key.verifies([], of: parts[2]))
        let other = try Ed25519VerifyingKey(bytes: Self.bytes(Self.vectors[1][1]))
        #expect(!other.verifies(parts[3], of: parts[2]))
    }

    @Test("keys of wrong length and points of small order are rejected")
    func invalid() throws {
        for count in [0, 31, 33] {
            #expect(throws: CryptographyError.self) {
                try Ed25519VerifyingKey(bytes: [UInt8](repeating: 7, count: count))
            }
            #expect(throws: CryptographyError.self) {
                try Ed25519SigningKey(
                    seed: SecretBytes(copying: [UInt8](repeating: 7, count: count)))
            }
        }
        let zeros = String(repeating: "0", count: 62)
        let top = String(repeating: "f", count: 60)
        for point in [
            "00" + zeros, "01" + zeros, "ec" + top + "7f", "ed" + top + "7f", "ee" + top + "7f",
            "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
            "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
        ] {
            var bytes = try Self.bytes(point)
            for _ in 0..<2 {
                #expect(throws: CryptographyError.self, "\(point)") {
                    try Ed25519VerifyingKey(bytes: bytes)
                }
                bytes[31] ^= 0x80
            }
        }
    }

    // MARK: Files

    /// The first vector's seed and key, as `openssl genpkey` and `openssl pkey -pubout` write them.
    private static let privatePEM = """
        -----BEGIN PRIVATE KEY-----
        MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g
        -----END PRIVATE KEY-----

        """
    private static let publicPEM = """
        -----BEGIN PUBLIC KEY-----
        MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=
        -----END PUBLIC KEY-----

        """

    /// Writes a file with this mode and deletes it after `body`.
    private func withFile(_ text: String, mode: mode_t, _ body: (String) throws -> Void) throws {
        var template = Array("/tmp/postern-key-XXXXXX".utf8CString)
        let file = mkstemp(&template)
        try #require(file >= 0)
        let path = String(
            decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        defer { unlink(path) }
        _ = text.withCString { write(file, $0, strlen($0)) }
        _ = fchmod(file, mode)
        close(file)
        try body(path)
    }

    @Test("keys are read from PEM, hexadecimal and Base64")
    func files() throws {
        let (seed, key) = (Self.vectors[0][0], try Self.bytes(Self.vectors[0][1]))
        let privates = [Self.privatePEM, seed, Base64.encode(try Self.bytes(seed)) + "\n"]
        for text in privates {
            try withFile(text, mode: 0o600) { path in
                let read = try Ed25519SigningKey(file: path)
                #expect(read.verifyingKey.bytes == key)
            }
        }
        for text in [Self.publicPEM, Hex.encode(key) + "\n", Base64.encode(key)] {
            try withFile(text, mode: 0o644) { path in
                let read = try Ed25519VerifyingKey(file: path)
                #expect(read.bytes == key)
            }
        }
    }

    @Test("H3: a new key is written as openssl writes it and read back, and other PEM is rejected")
    func written() throws {
        let text = Ed25519SigningKey.generatePEM(randomness: KeyRandomness())
        #expect(text.count == Self.privatePEM.utf8.count)
        let key = try #require(try Ed25519SigningKey(pem: text))
        #expect(key.verifyingKey.verifies(try key.sign([1, 2, 3]), of: [1, 2, 3]))
        let known = try #require(
            try Ed25519SigningKey(pem: SecretBytes(copying: Self.privatePEM.utf8)))
        #expect(known.verifyingKey.pem == Array(Self.publicPEM.utf8))
        #expect(try Ed25519SigningKey(pem: SecretBytes(copying: [UInt8](1...32))) == nil)
        for other in [Self.publicPEM, Self.privatePEM.replacing("MC4C", with: "MC4B")] {
            #expect(throws: CryptographyError.self) {
                try Ed25519SigningKey(pem: SecretBytes(copying: other.utf8))
            }
        }
    }

    @Test("a private key readable or a public key writable by others is rejected")
    func modes() throws {
        try withFile(Self.privatePEM, mode: 0o640) { path in
            #expect(throws: SecretFileError.self) { try Ed25519SigningKey(file: path) }
        }
        try withFile(Self.publicPEM, mode: 0o664) { path in
            #expect(throws: SecretFileError.self) { try Ed25519VerifyingKey(file: path) }
        }
    }

    @Test(
        "a truncated key, another kind of key or the wrong half is rejected",
        arguments: [
            "", "x", String(publicPEM.dropLast(30)),
            publicPEM.replacing("MCowBQYDK2Vw", with: "MCowBQYDK2Vu"), privatePEM,
            String(repeating: "zz", count: 32),
        ])
    func noKey(text: String) throws {
        try withFile(text, mode: 0o600) { path in
            #expect(throws: (any Error).self) { try Ed25519VerifyingKey(file: path) }
        }
        try withFile(text == Self.privatePEM ? Self.publicPEM : text, mode: 0o600) { path in
            #expect(throws: (any Error).self) { try Ed25519SigningKey(file: path) }
        }
    }
}
