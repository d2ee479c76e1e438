import Testing

@testable import Cryptography

@Suite("Private keys in PEM from other programs")
struct PEMKeyTests {
    /// Made by `openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256`, only for this
    /// test.
    private static let p256 = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgN69a41olqY7sfzK7
        H7YFy7b5BxtF9UdorUA24TH22UWhRANCAARp1dquIooJ6vA7GlIwZYm09oE6XCVH
        IAMluMe/ROBQhfyxsG8ADqPpmogZQIWU1JL0ySdJlIwNmf6BoqVwqMr9
        -----END PRIVATE KEY-----

        """
    /// The same with `ec_paramgen_curve:secp256k1`: numbers of the same length on another curve.
    private static let otherCurve = """
        -----BEGIN PRIVATE KEY-----
        MIGEAgEAMBAGByqGSM49AgEGBSuBBAAKBG0wawIBAQQgBVxNBaUjdrWBKXBzY3RT
        GOcY3UYjlzHjThetEqWegu6hRANCAAQJcfcpdBFS4lJfCK2G01kz2fwNvOf0AMy1
        0MQdKonjcJVC95TKCIULxYnkWzreym5NzePwsMuJR0DPWDm8OPnq
        -----END PRIVATE KEY-----

        """

    @Test("a P-256 key is read with its public point and signs")
    func sound() throws {
        let key = try SigningKey(pem: SecretBytes(copying: Self.p256.utf8))
        #expect(
            Hex.encode(key.verifyingKey.x)
                == "69d5daae228a09eaf03b1a52306589b4f6813a5c2547200325b8c7bf44e05085")
        #expect(key.verifyingKey.verifies(try key.sign("a".utf8), of: Array("a".utf8)))
    }

    @Test("a key of another curve, a truncated key and other text are rejected")
    func refused() {
        let cut = Self.p256.replacing("MIGHAgEAMBMG", with: "MIGGAgEAMBMG")
        for text in [Self.otherCurve, cut, "", "-----BEGIN PRIVATE KEY-----\n", "nonsense"] {
            #expect(throws: CryptographyError.self) {
                try SigningKey(pem: SecretBytes(copying: text.utf8))
            }
            #expect(throws: CryptographyError.self) {
                try RSASigningKey(pem: SecretBytes(copying: text.utf8))
            }
        }
        #expect(throws: CryptographyError.self) {
            try RSASigningKey(pem: SecretBytes(copying: Self.p256.utf8))
        }
    }
}
